// Describes a change of a crash group, as the end of a sentence that begins with the name of the person who made it.
import type { Activity, Aspects } from '@chauffeur/contract/operations/triage';
import { formatSnooze, PRIORITY_NAMES } from './describe-group.ts';

type Description = {
  readonly sentences: readonly string[];
  /** Groups that follow the sentences. */
  readonly links: Activity['groups'];
};

export function describeActivity(entry: Activity): Description {
  const { kind, groups, before, after } = entry;
  switch (kind) {
    case 'merge':
      return { sentences: ['merged'], links: groups };
    case 'unmerge':
      return { sentences: ['separated'], links: groups };
    case 'split':
      return { sentences: [`split off the reports with ${entry.function} on their stack:`], links: groups };
    case 'unsplit':
      return { sentences: [`merged the reports with ${entry.function} on their stack again`], links: [] };
    case 'reopen': {
      const isRegression = before?.status === 'resolved';
      const why = isRegression ? 'because a later build crashed, too' : 'because its snooze ended';
      return { sentences: [`reopened it ${why}`], links: [] };
    }
    case 'change':
      return { sentences: describeChange(after ?? {}), links: [] };
    case 'comment':
      return { sentences: [], links: [] };
  }
}

function describeChange(after: Aspects): string[] {
  const sentences = [...describeStatus(after)];
  if (after.assignee !== undefined)
    sentences.push(after.assignee === null ? 'unassigned it' : `assigned it to ${after.assignee.name}`);
  if (after.priority !== undefined)
    sentences.push(
      after.priority === null
        ? 'removed the priority'
        : `set the priority to ${PRIORITY_NAMES[after.priority].toLowerCase()}`,
    );
  if (after.title !== undefined)
    sentences.push(after.title === null ? 'removed the title' : `renamed it to “${after.title}”`);
  if (after.issue_url !== undefined)
    sentences.push(after.issue_url === null ? 'removed the link to the issue' : `linked ${after.issue_url}`);
  return sentences.length === 0 ? ['changed it'] : sentences;
}

function describeStatus(after: Aspects): string[] {
  const status = after.status ?? (after.fixed_in_version !== undefined ? 'resolved' : undefined);
  if (status === undefined) return after.snooze == null ? [] : [`snoozed it ${formatSnooze(after.snooze)}`];
  switch (status) {
    case 'open':
      return ['reopened it'];
    case 'ignored':
      return ['ignored it'];
    case 'snoozed':
      return [after.snooze == null ? 'snoozed it' : `snoozed it ${formatSnooze(after.snooze)}`];
    case 'resolved': {
      const version = after.fixed_in_version ?? null;
      return [version === null ? 'resolved it in the next build' : `resolved it as fixed in ${version}`];
    }
  }
}
