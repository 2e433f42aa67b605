// Reads what happened before an event.
import { redactText } from '../privacy.ts';
import { isFields, lineOf, listOf, textOf, timeOf } from '../values.ts';
import { DATA_LIMITS, pairsOf } from './data.ts';
import type { Breadcrumb } from './event.ts';
import { levelOf } from './level.ts';

export const BREADCRUMB_LIMITS = { breadcrumbs: 100, messageLength: 1024 } as const;

/** The newest ones, oldest first, as clients send them. */
export function breadcrumbsOf(value: unknown): { breadcrumbs: Breadcrumb[]; leftOut: number } {
  const sent = listOf(value);
  const breadcrumbs = sent.slice(-BREADCRUMB_LIMITS.breadcrumbs).filter(isFields).map(breadcrumbOf);
  return { breadcrumbs, leftOut: Math.max(0, sent.length - BREADCRUMB_LIMITS.breadcrumbs) };
}

function breadcrumbOf(sent: Readonly<Record<string, unknown>>): Breadcrumb {
  return {
    time: timeOf(sent.timestamp),
    level: levelOf(sent.level) ?? 'info',
    type: lineOf(sent.type, 64),
    category: lineOf(sent.category, 128),
    message: redactText(textOf(sent.message, BREADCRUMB_LIMITS.messageLength)),
    data: pairsOf(sent.data, DATA_LIMITS.breadcrumbData),
  };
}
