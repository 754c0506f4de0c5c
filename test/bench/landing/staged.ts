/** A scene that can be played, whatever it is about. */
import type { Deed } from "./lines.js";

/** All that it takes to play a scene, and to judge its outcome. */
export interface Staged {
  /** The text that the agent has seen. */
  readonly before: string;
  readonly typed: Deed["typed"];
  /** The text at the time of the call. */
  readonly present: string;
  readonly call: (path: string) => object;
  /** The texts that are right. Empty if the call must be refused. */
  readonly right: readonly string[];
  /** `true` if the agent has read the text through the server, before the person typed. */
  readonly isRead: boolean;
  /** `true` if the person saves before the call. */
  readonly isSaved: boolean;
  /** `true` if the editor syncs whole texts. */
  readonly syncsWhole: boolean;
}
