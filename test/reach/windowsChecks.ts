/** The checks of what is different on Windows. */
import type { Check } from "./place.js";

/** All of them, in the order in which they run. */
export const windowsChecks: readonly Check[] = [];
