/** The sentence in which a failed call names the files that have their old text again; many tests expect it. */

/** The beginning of the sentence, before the names. */
export const takenBackBegin = "Taken back: ";

/** The whole sentence, for names in this order. */
export const takenBack = (...names: readonly string[]): string => `${takenBackBegin}${names.join(", ")}.`;
