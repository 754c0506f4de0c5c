/** The table of all benchmark cases. */
import { agentCases } from "./agentCases.js";
import { batchCases } from "./batchCases.js";
import { bulk } from "./bulkCases.js";
import { quietDiagnostics } from "./diagnosticCases.js";
import { diskBatch } from "./diskCases.js";
import { fairness } from "./fairCases.js";
import { hostile } from "./hostileCases.js";
import { mcpCall } from "./mcpCases.js";
import { idle, openDocuments } from "./openCases.js";
import { patchKeystroke } from "./patchCases.js";
import type { BenchCase } from "./result.js";
import { reviewKeystroke } from "./reviewCases.js";
import { ladder } from "./rungCases.js";
import { viewCases } from "./viewCases.js";
import { wireCases } from "./wireCases.js";

/** The cases in the order of the table of goals. */
export const benchCases: readonly BenchCase[] = [
  ...batchCases,
  ladder,
  ...wireCases,
  bulk,
  openDocuments,
  mcpCall,
  quietDiagnostics,
  idle,
  patchKeystroke,
  reviewKeystroke,
  ...viewCases,
  fairness,
  diskBatch,
  ...agentCases,
  hostile,
];
