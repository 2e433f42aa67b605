// Describes the modules that keep stacks from being complete.
import { formatNumber } from '@chauffeur/contract/format';
import type { GroupDetail } from './use-triage.ts';

export type WalkStops = GroupDetail['walk_stops'];

/** `gaps` are all modules that are listed, and `stops` those of them that stop walks. */
export function formatTitle(gaps: number, stops: number): string {
  if (stops > 0)
    return gaps === 1
      ? 'One module keeps stacks from being complete'
      : `${gaps} modules keep stacks from being complete`;
  return gaps === 1 ? 'One module of your game has no symbols' : `${gaps} modules of your game have no symbols`;
}

/** Says in how many of the group's newest reports the module stopped the walk. */
export function formatStop({ reports, stopped }: { reports: number; stopped: number }, total: number): string {
  if (total === 1) return stopped === 1 ? 'The stack ends here too early.' : 'The frames after it are guessed.';
  const where =
    stopped === reports
      ? 'Stacks end here too early'
      : stopped === 0
        ? 'The frames after it are guessed'
        : 'Stacks end here too early, or the frames after it are guessed,';
  return `${where} in ${formatNumber(reports)} of the latest ${formatNumber(total)} reports.`;
}
