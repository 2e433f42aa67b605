// `config check`: reads all settings, tries every connection, and reports all problems at once. It works before the
// first start and next to a running server: it migrates nothing, creates nothing, and removes what it wrote.

import { readProcessConfigLeniently } from '../config.ts';
import { parseBlobSettings } from '../kernel/blobs/open.ts';
import { createLog } from '../kernel/telemetry/log.ts';
import { showSettings } from '../operate/operator/shown-settings.ts';
import { type Check, fail, pass, warn } from '../operate/setup/checks.ts';
import { judgeParts } from '../operate/setup/judge-settings.ts';
import { CONNECTION_CHECKS, type ConfigPart } from './connection-checks.ts';

/** The words in the output, as `chauffeur doctor` prints them. */
const STATUS = { good: 'ok', info: 'note', unsure: 'warning', bad: 'problem' } as const;

type Level = keyof typeof STATUS;
type Judged = Omit<Check, 'level'> & { readonly level: Level };
type PartCheck = Judged & { readonly part: ConfigPart };

export async function runConfigCheck({ json }: { json: boolean }): Promise<void> {
  const { config, problems, invalid, warnings } = readProcessConfigLeniently();
  const log = createLog('silent');
  const publicUrl = (config.publicUrl ?? `http://${config.host}:${config.port}`).replace(/\/+$/, '');
  const storage = parseBlobSettings(config.blobs, config.dataFolder);
  // No request has come through the proxies, so their number cannot be judged here.
  const judged = judgeParts({ config, publicUrl, proxies: config.trustProxy, storage });
  const checks: PartCheck[] = [
    ...problems.map((says) => ({
      part: 'settings' as const,
      ...fail(says, 'Correct it, or remove it to use the default.'),
    })),
    ...warnings.map((says) => ({ part: 'settings' as const, ...warn(says, 'Correct it, or remove it.') })),
  ];
  if (checks.length === 0) checks.push({ part: 'settings', ...pass('All settings are valid.') });
  for (const { part, variables, check } of CONNECTION_CHECKS) {
    const broken = variables.filter((variable) => invalid.has(variable));
    if (broken.length > 0) {
      checks.push({ part, ...warn(`Not checked, because ${broken.join(' and ')} is invalid.`, 'Correct it first.') });
      continue;
    }
    const results = await check({ config, publicUrl, storage, log });
    const settings = judged.find((judgement) => judgement.part === part);
    const isNews = settings?.level !== 'good' || results.length === 0;
    const isFirst = !checks.some((earlier) => earlier.part === part);
    if (settings !== undefined && isFirst && isNews) checks.push({ part, ...judgementOf(settings) });
    for (const result of results) checks.push({ part, ...result });
  }
  const settings = showSettings(config);
  const hasProblem = checks.some(({ level }) => level === 'bad');
  process.stdout.write(
    json
      ? `${JSON.stringify({ ok: !hasProblem, checks, settings })}\n`
      : [...formatSettings(settings), '', ...checks.flatMap(formatCheck), '', formatTotal(checks), ''].join('\n'),
  );
  if (hasProblem) process.exitCode = 1;
}

function judgementOf({ level, says, remedy, advice }: ReturnType<typeof judgeParts>[number]): Judged {
  const settings = advice.map(({ variable, value }) => `${variable}=${value}`);
  const isFine = level === 'good' || level === 'info';
  // What would be possible in addition is on the operator's set-up page, where it doesn't hide what is wrong.
  const example = settings.length === 0 ? '' : ` For example: ${settings.join(' ')}`;
  return { level, says, remedy: isFine || remedy === null ? null : `${remedy}${example}` };
}

/** The settings that are not the default. Values of secrets are never shown. */
function formatSettings(settings: ReturnType<typeof showSettings>): string[] {
  const changed = settings.filter((setting) => setting.changed);
  const others = `${settings.length - changed.length} settings have their defaults.`;
  return [...changed.map(({ variable, value }) => `${variable}=${value ?? ''}`), others];
}

const INDENT = ' '.repeat(19);

function formatCheck({ part, level, says, remedy }: PartCheck): string[] {
  const line = `${STATUS[level].padEnd(7)}  ${part.padEnd(8)}  ${says}`;
  return remedy === null || level === 'good' ? [line] : [line, `${INDENT}${remedy}`];
}

function formatTotal(checks: readonly PartCheck[]): string {
  const count = (level: Level, word: string) => {
    const { length } = checks.filter((check) => check.level === level);
    return length === 0 ? [] : [`${length} ${word}${length === 1 ? '' : 's'}`];
  };
  return [...count('bad', 'problem'), ...count('unsure', 'warning')].join(', ') || 'Everything works.';
}
