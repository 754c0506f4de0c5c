/** The sentence by which a failed call names the files that have their old text again, for the many tests that expect it. */

/** Its beginning, which the names follow. */
export const takenBackBegin = "Rolled back: ";

/** The whole sentence, for names in this order. */
export const takenBack = (...names: readonly string[]): string => `${takenBackBegin}${names.join(", ")}.`;
