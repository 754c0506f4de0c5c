/** Is loaded by the programs that tests start, before anything else, if it is recorded what runs in them. */
import { recordTo } from "./recorder.js";

if (process.env.ROWS_TO !== undefined) recordTo(process.env.ROWS_TO);
