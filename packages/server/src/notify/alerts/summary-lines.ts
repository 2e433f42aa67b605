// The sentences of a weekly summary.
import { formatNumber, formatPercent } from '@chauffeur/contract/format';
import type { WeeklySummary } from './alert.ts';

/** The page that has more about a sentence. */
export type SummaryPage = 'crashes' | 'health' | 'builds';
type SummaryLine = { readonly text: string; readonly part: SummaryPage };

/** Leaves out what there is nothing to say about. */
export function summaryLines(summary: WeeklySummary): SummaryLine[] {
  const { reports, new_groups, fixed_groups, devices, crashed_devices, adoption, downloads, before } = summary;
  const lines: (SummaryLine | null)[] = [
    {
      text: `${countOf(reports, 'crash report')}${changeOf(reports, before?.reports)}, ${countOf(new_groups, 'new group')}, ${formatNumber(fixed_groups)} fixed`,
      part: 'crashes',
    },
    devices === 0
      ? null
      : {
          text: `${formatPercent(1 - crashed_devices / devices)} of ${countOf(devices, 'device')} without a crash${
            before === null || before.devices === 0
              ? ''
              : ` (${formatPercent(1 - before.crashed_devices / before.devices)} the week before)`
          }`,
          part: 'health',
        },
    adoption.length === 0
      ? null
      : {
          text: `On the last day, ${adoption.map(({ version, share }) => `${formatPercent(share)} played ${version}`).join(', ')}`,
          part: 'health',
        },
    downloads === 0 && (before?.downloads ?? 0) === 0
      ? null
      : { text: `${countOf(downloads, 'download')}${changeOf(downloads, before?.downloads)}`, part: 'builds' },
  ];
  return lines.filter((line) => line !== null);
}

/** Such as `1 report` and `1,204 reports`. */
export function countOf(count: number, one: string): string {
  return `${formatNumber(count)} ${one}${count === 1 ? '' : 's'}`;
}

/** Such as ` (12% fewer than the week before)`; empty if there is nothing to compare with. */
function changeOf(now: number, before: number | undefined): string {
  if (before === undefined || before === 0) return '';
  const change = Math.round((100 * (now - before)) / before);
  if (change === 0) return ' (as many as the week before)';
  return ` (${formatNumber(Math.abs(change))}% ${change < 0 ? 'fewer' : 'more'} than the week before)`;
}
