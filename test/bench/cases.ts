/** The table of goals: every case of the benchmark, in its order. */
import { batchCases } from "./batchCases.js";
import { hostile } from "./hostileCases.js";
import type { BenchCase } from "./result.js";
import { ladder } from "./rungCases.js";
import { wireCases } from "./wireCases.js";

/** As the table of goals has them. */
export const benchCases: readonly BenchCase[] = [...batchCases, ladder, ...wireCases, hostile];
