/** The wire type of what a client announces specifically for this server. */

/** Capabilities that a client may announce in `capabilities.experimental.multiEdit`. */
export interface ClientMultiEdit {
  /** `true` if the client answers the request `multiEdit/saveDocuments`. */
  save?: boolean;
  /** `true` if the client shows its user what the notification `multiEdit/didApply` tells. */
  didApply?: boolean;
  /** `true` if the client answers the request `multiEdit/confirm`. */
  confirm?: boolean;
  /** Maximum delay, in milliseconds, before the client syncs typed text. */
  syncDelay?: number;
  /** `true` if the client loads files named by `multiEdit/didChangeOnDisk`, and answers `multiEdit/adoptDiskText`. */
  didChangeOnDisk?: boolean;
  /** `true` if the client answers the request `multiEdit/diagnostics`. */
  diagnostics?: boolean;
  /** `true` if the client shows what the notification `multiEdit/didChangeReview` tells. */
  review?: boolean;
}
