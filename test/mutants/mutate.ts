/** Plants bugs in TypeScript source: small changes that still compile, of which a test should notice each. */
import { parseSync } from "oxc-parser";

/** A change to a source file. */
export interface Mutant {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** UTF-16 offsets in the file. */
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** A node of the syntax tree, in the form of ESTree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Operators, and what a hurried programmer could have written instead. */
const operators: Readonly<Record<string, string>> = {
  ...{ "&&": "||", "||": "&&", "===": "!==", "!==": "===" },
  ...{ "<": "<=", "<=": "<", ">": ">=", ">=": ">", "+": "-", "-": "+" },
};

/** Returns all mutants of a file, in the order of their places. */
export function mutantsOf(path: string, text: string): readonly Mutant[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} can't be read: ${errors[0]?.message}`);
  const found: Mutant[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isNode(value) || isIdle(value)) return;
    for (const change of changesTo(value, text))
      found.push({ path, line: text.slice(0, change.from).split("\n").length, ...change });
    for (const field of Object.values(value)) visit(field);
  };
  visit(program);
  return found.sort((a, b) => a.from - b.from || a.to - b.to);
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof Object(value).type === "string";

/** Reports whether a node does nothing when the program runs: types and imports. */
const isIdle = ({ type }: Node): boolean => type === "ImportDeclaration" || /^TS(?!NonNull|As|Satisfies)/.test(type);

function changesTo(node: Node, source: string): readonly Pick<Mutant, "from" | "to" | "insert">[] {
  const { type, start: from, end: to } = node;
  const textOf = (part: unknown): string => (isNode(part) ? source.slice(part.start, part.end) : "");
  const whole = (...inserts: readonly string[]) => inserts.map((insert) => ({ from, to, insert }));
  if (type === "BinaryExpression" || type === "LogicalExpression") {
    const { left, right } = node;
    const [operator, other] = [String(node.operator), operators[String(node.operator)]];
    if (!isNode(left) || !isNode(right) || other === undefined) return [];
    // Texts are joined by the same operator as numbers.
    if (operator === "+" && /["'`]/.test(textOf(node))) return [];
    const at = source.indexOf(operator, left.end);
    // One of two conditions is forgotten.
    const halves = type === "LogicalExpression" ? whole(textOf(left), textOf(right)) : [];
    return [{ from: at, to: at + operator.length, insert: other }, ...halves];
  }
  if (type === "UnaryExpression" && node.operator === "!") return whole(textOf(node.argument));
  if (type === "Literal" && typeof node.value === "boolean") return whole(String(!node.value));
  if (type === "Literal" && typeof node.value === "number") return whole(String(node.value + 1));
  if (type === "ConditionalExpression") return whole(textOf(node.consequent), textOf(node.alternate));
  if (type === "IfStatement" && isNode(node.test)) {
    const { start, end } = node.test;
    return ["true", "false"].map((insert) => ({ from: start, to: end, insert }));
  }
  // What a call does is forgotten.
  if (type === "ExpressionStatement" && isNode(node.expression) && node.expression.type === "CallExpression")
    return whole(";");
  return [];
}
