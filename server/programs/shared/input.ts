/** The type of values that are read from input, or of the reasons why they can't be. */

/** The value, or a sentence that says why it could not be read. */
export type Input<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** Returns the `Input` for a value. */
export const readable = <T>(value: T): Input<T> => ({ ok: true, value });

/** Returns the `Input` for a value that could not be read. `problem` is a sentence. */
export const unreadable = (problem: string): Input<never> => ({ ok: false, problem });
