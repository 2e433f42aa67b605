// What changed about how a person signs in, and the mail that reports it to them.
import type { Db } from '../../kernel/database/db.ts';
import { addJob } from '../../kernel/jobs/jobs.ts';
import { type AccountChange, type Origin, securityMail } from './security-mails.ts';
import { mailJob } from './send-mail.job.ts';

/** Reports a change. If `db` is a transaction, the mail is sent only after the commit. */
export async function reportChange(
  db: Db,
  change: AccountChange,
  about: { at: Date; origin: Origin; publicUrl: string },
): Promise<void> {
  await addJob(db, mailJob, securityMail(change.email, change, about));
}
