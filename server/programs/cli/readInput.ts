/** Reads a command's input: one call as JSON, several calls (one per line), or else a patch. */
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { limits } from "../../text/limits.js";
import { codeOf } from "../../workspace/identity.js";
import { type Input, unreadable } from "../shared/input.js";
import { inputProblems } from "./sentences.js";

/** Reads a UTF-8 file; `-` means standard input. Refuses to read from a terminal, whose input may never end. */
export async function readInput(path: string, stdin: Readable & { isTTY?: boolean }): Promise<Input<string>> {
  if (path === "-" && stdin.isTTY) return unreadable(inputProblems.noInput());
  let bytes: Buffer;
  try {
    bytes = path === "-" ? await readStream(stdin) : await readFile(path);
  } catch (error) {
    return unreadable(inputProblems.unreadable(path, codeOf(error)));
  }
  if (bytes.length > limits.inputBytes) return unreadable(inputProblems.tooLarge(limits.inputBytes));
  try {
    return { ok: true, value: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return unreadable(inputProblems.notUtf8());
  }
}

async function readStream(stdin: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    if (length > limits.inputBytes) break;
  }
  return Buffer.concat(chunks);
}

/** Parses the input into calls: JSON values or, if the input is a patch, a string. */
export function callsIn(text: string): Input<readonly unknown[]> {
  const first = text.trimStart().slice(0, 1);
  if (first === "") return unreadable(inputProblems.empty());
  if (!'{["'.includes(first)) return { ok: true, value: [text] };
  const whole = parseJson(text);
  if (whole.ok) return { ok: true, value: [whole.value] };
  const values: unknown[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsedLine = parseJson(line);
    // If even the first line is not valid JSON, the input was probably meant as one value that spans several lines.
    if (!parsedLine.ok)
      return values.length === 0 ? whole : unreadable(inputProblems.badLine(index + 1, parsedLine.problem));
    values.push(parsedLine.value);
  }
  return { ok: true, value: values };
}

function parseJson(text: string): Input<unknown> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return unreadable(inputProblems.badJson(error instanceof Error ? error.message : String(error)));
  }
}
