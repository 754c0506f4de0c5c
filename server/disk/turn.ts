/** Waiting for other processes that change the same files: first come, first served. */
import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../text/limits.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt } from "./fileSystem.js";
import { type Claim, claimFor, type Lock, locksBefore, queueUp } from "./lock.js";
import { newId } from "./recover.js";

/** A call's place in the queue, kept while the call is planned again. */
export interface Turn {
  /** The id under which this process waits; `undefined` if it does not. */
  id(): string | undefined;
  /** Waits for the turn of a batch with these files; `false` after `limits.turnMs` in all, or once `isOver`. */
  wait(workspace: DiskWorkspace, names: readonly string[], isOver: () => boolean): Promise<boolean>;
  /** Leaves the queue. Never throws. */
  leave(): void;
}

/** Returns the turn of a call that does not wait yet. */
export function createTurn(): Turn {
  let place: { readonly id: string; readonly claim: Claim; readonly file: Lock } | undefined;
  let end: number | undefined;
  const leave = (): void => {
    place?.file.release();
    place = undefined;
  };
  return {
    id: () => place?.id,
    leave,
    async wait(workspace, names, isOver) {
      end ??= performance.now() + limits.turnMs;
      const claim = claimFor(workspace, names);
      if (place !== undefined && JSON.stringify(place.claim.paths) !== JSON.stringify(claim.paths)) leave();
      if (place === undefined) {
        const id = newId();
        place = { id, claim, file: queueUp(workspace, id, claim) };
      }
      await delay(pauseMs * Math.random());
      for (;;) {
        const before = locksBefore(workspace, place.id, claim);
        const nearest = before.at(-1);
        if (nearest === undefined) return true;
        // Only the nearest lock is watched, because looking at all of them takes time that the others need. The process
        // that wrote it may have been killed, so all of them are looked at again now and then.
        const again = performance.now() + recountMs;
        while (performance.now() < again && attempt(() => workspace.files.look(nearest)).value !== undefined) {
          if (performance.now() > end || isOver()) return false;
          // Whoever is far from the front looks less often.
          await delay(Math.min(before.length, longestPause) * pauseMs * (0.5 + Math.random()));
        }
        if (performance.now() > end || isOver()) return false;
      }
    },
  };
}

/** The average pause between two looks of the process whose turn is next, in milliseconds. */
const pauseMs = 4;

/** The longest average pause, as a multiple of `pauseMs`. */
const longestPause = 10;

/** The time for which only the nearest lock is watched, in milliseconds. */
const recountMs = 500;
