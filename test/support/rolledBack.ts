/** The sentence in which a failed call names the files that it has rolled back; many tests expect it. */

/** The beginning of the sentence, before the names. */
export const rolledBackBegin = "Rolled back: ";

/** The whole sentence, for names in this order. */
export const rolledBack = (...names: readonly string[]): string => `${rolledBackBegin}${names.join(", ")}.`;
