/**
 * The parts of pi's interface that the extension uses. The extension imports only types from this file, so pi does not
 * need it to load the extension.
 */

/** The part of pi's extension interface that this extension uses. */
export interface PiHost {
  registerTool(tool: PiTool): void;
  /** Calls the handler before a tool runs; it may turn the call away. */
  on(
    event: "tool_call",
    handler: (event: PiToolEvent, context: PiContext) => Promise<{ block: boolean; reason: string } | undefined>,
  ): void;
  /** Calls the handler after a tool has run; it may replace the result. */
  on(
    event: "tool_result",
    handler: (
      event: PiToolEvent,
      context: PiContext,
    ) => Promise<{ content: PiResult["content"]; isError: boolean } | undefined>,
  ): void;
}

/** A call of any tool. */
export interface PiToolEvent {
  readonly toolName: string;
  readonly input: object;
}

/** The surroundings of a call. */
export interface PiContext {
  readonly cwd: string;
  readonly signal?: AbortSignal | undefined;
}

/** A tool in the form that pi expects. */
export interface PiTool {
  name: string;
  label: string;
  description: string;
  /** A line for pi's system prompt. */
  promptSnippet: string;
  promptGuidelines: string[];
  /** A JSON Schema. pi refuses calls that do not fit it. */
  parameters: object;
  /** Converts a call before pi compares it with the schema. */
  prepareArguments(params: unknown): object;
  execute(
    callId: string,
    params: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<PiResult>;
  /** Shows the call, which may be incomplete. */
  renderCall(params: unknown, theme: PiTheme): PiComponent;
  /** Shows the result; without it, pi shows the first lines of the text. */
  renderResult?(
    result: { readonly content: readonly { readonly type: string }[]; readonly details?: unknown },
    options: unknown,
    theme: PiTheme,
    context: { readonly isError: boolean },
  ): PiComponent;
}

/** A tool's answer. Errors that the model should read are thrown instead. */
export interface PiResult {
  content: { type: "text"; text: string }[];
  /** The data that pi uses to display and export an edit. */
  details: { diff: string; patch: string; firstChangedLine?: number } | undefined;
}

/** The colours of pi's screen. */
export interface PiTheme {
  fg(color: string, text: string): string;
  bold(text: string): string;
}

/** A part of pi's screen. A line that is wider than `width` columns would make pi fail. */
export interface PiComponent {
  render(width: number): string[];
  invalidate(): void;
}
