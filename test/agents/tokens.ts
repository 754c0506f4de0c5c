/** Tokens of a text, as a public tokenizer counts them. */
import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Number of tokens of a text in the vocabulary `o200k_base`. */
export const tokensOf = (text: string): number => encode(text).length;
