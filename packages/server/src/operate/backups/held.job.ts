// Deletes blobs whose deletion waited for the end of a backup, also if the backup was killed.
import type { Context } from '../../context.ts';
import { deleteHeld } from '../../kernel/blobs/held-deletions.ts';
import { defineJob } from '../../kernel/jobs/jobs.ts';

export const deleteHeldJob = defineJob(
  'backups:delete-held',
  { attempts: 3, cron: '*/10 * * * *', lane: 'long' },
  deleteHeldBlobs,
);

export function deleteHeldBlobs({ db, blobs }: Context): Promise<void> {
  return deleteHeld(db, blobs);
}
