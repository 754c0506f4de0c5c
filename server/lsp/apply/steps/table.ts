/** The table of rules, by kind of step. */
import type { AppliedStep } from "../../history.js";
import type { StepRules } from "../step.js";
import { createStep, restoreStep } from "./create.js";
import { deleteStep } from "./delete.js";
import { renameStep } from "./rename.js";
import { textStep } from "./text.js";

/** The rules for each kind of step. */
export const stepRules: Readonly<Record<AppliedStep["kind"], StepRules>> = {
  text: textStep,
  create: createStep,
  rename: renameStep,
  delete: deleteStep,
  restore: restoreStep,
};
