// What the moves of a channel's pointers have in common. A pointer is what a channel offers on a platform.
import { newId } from '../../kernel/secrets/ids.ts';
import { auditChange } from '../../request/audit.ts';
import type * as channels from './channels.sql.ts';

export function pointerIdOf({ channel, os, arch }: Pick<channels.PointerRow, 'channel' | 'os' | 'arch'>) {
  return { channel, os, arch };
}

/** Adds the move to the audit log. */
export function auditMove(
  { channel, os, arch }: channels.PointerId,
  before: string | undefined,
  after: string | null,
): void {
  auditChange(`${channel} ${os} ${arch}`, before ?? null, after);
}

/** Who moves pointers, in which change. */
export type Mover = { changeUid: string; movedBy: string; now: Date };

/** The fields of a move that follows the current one. */
export function nextTo(current: channels.PointerRow | undefined) {
  return {
    moveId: newId(),
    previousMoveId: current?.move_id ?? null,
    previousBuildId: current?.build_id ?? null,
  };
}
