/** The types of the announced shapes, one for each, so that a compiler finds a misspelled field of a call. */
import type { CallOptions } from "./options.js";

/** A field that may be left out; `null` counts as left out, because models write `null` when every field is required. */
type Optional<T> = T | null | undefined;

/** An edit of a `batch` call. */
export interface BatchEdit {
  /** By default, the call's path. */
  readonly path?: Optional<string>;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll?: Optional<boolean>;
  /** The match to change, counted from 1. */
  readonly occurrence?: Optional<number>;
  /** 1-based; the match that starts nearest to this line is changed. */
  readonly line?: Optional<number>;
  /** The number of matches that `replaceAll` must find. */
  readonly expectedCount?: Optional<number>;
}

/** A call of the shape `batch`. */
export interface BatchCall extends WithOptions {
  /** The path of edits that have none of their own. */
  readonly path?: Optional<string>;
  readonly edits: readonly BatchEdit[];
}

/** An edit of a `pi` call. */
export interface PiEdit {
  /** By default, the call's path. */
  readonly path?: Optional<string>;
  readonly oldText: string;
  readonly newText: string;
}

/** A call of the shape `pi` with a list, before which one more edit may be at the top level. */
export interface PiListCall extends WithOptions, Partial<Nullable<PiEdit>> {
  readonly multi: readonly PiEdit[];
}

/** A call of the shape `pi` with one edit. */
export interface PiEditCall extends WithOptions, PiEdit {
  readonly multi?: Optional<readonly PiEdit[]>;
}

/** An edit of a `MultiEdit` call. */
export interface MultiEditEdit {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: Optional<boolean>;
}

/** A call of the shape `MultiEdit`, with a list of edits or one edit. */
export type MultiEditCall = WithOptions & { readonly file_path: string } & (
    | { readonly edits: readonly MultiEditEdit[] }
    | MultiEditEdit
  );

/** An edit of an `edit_file` call. */
export interface EditFileEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll?: Optional<boolean>;
}

/** A call of the shape `edit_file`, with a list of edits or one edit. */
export type EditFileCall = WithOptions & { readonly path: string } & (
    | { readonly edits: readonly EditFileEdit[] }
    | EditFileEdit
  );

/** A call of the shape `patch`. */
export interface PatchCall extends WithOptions {
  readonly patch: string;
}

/** The options that an integration, never the model, may add to a call. */
interface WithOptions {
  readonly options?: CallOptions;
}

type Nullable<T> = { readonly [K in keyof T]: T[K] | null };

/** A call in one of the announced shapes, with the announced names of the fields; a string is a patch. */
export type ShapedCall = BatchCall | PiListCall | PiEditCall | MultiEditCall | EditFileCall | PatchCall | string;

/** A call as a model wrote it, passed on unread: with other names of fields, perhaps, or mistakes. */
export interface ForwardedCall extends WithOptions {
  readonly [field: string]: unknown;
}
