// Compares the dashboard and the alerts with the metrics that the server has.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { METRICS } from '../../packages/server/src/kernel/telemetry/metric-table.ts';
import { createMetrics } from '../../packages/server/src/kernel/telemetry/metrics.ts';
import { DASHBOARD } from './dashboard-panels.ts';
import { fragmentOf } from './markdown.ts';

const ROOT = join(import.meta.dirname, '../..');

type Rule = { record?: string; alert?: string; expr: string; labels?: object; annotations?: Record<string, string> };
type Expectation = { exp_samples: { labels: string }[] };

async function readYaml<T>(path: string): Promise<T> {
  return parse(await readFile(join(ROOT, path), 'utf8')) as T;
}

describe('the dashboard and the alerts', () => {
  /** The names of all series that a server can have. */
  const series = new Set(['up']);
  let rules: Rule[] = [];
  let alerts: string[] = [];
  const panels = DASHBOARD.flatMap((row) => row.panels);

  before(async () => {
    for (const [, name = '', type] of (await createMetrics().read()).matchAll(/^# TYPE (\S+) (\w+)$/gm))
      for (const suffix of type === 'histogram' ? ['_bucket', '_count', '_sum'] : ['']) series.add(name + suffix);
    const { groups } = await readYaml<{ groups: { rules: Rule[] }[] }>('ops/prometheus/chauffeur.rules.yml');
    rules = groups.flatMap((group) => group.rules);
    alerts = rules.flatMap(({ alert = [] }) => alert);
    for (const { record } of rules) if (record !== undefined) series.add(record);
  });

  const queries = () => [...rules, ...panels.flatMap((panel) => panel.queries)].map(({ expr }) => expr);

  it('use only metrics that exist, and labels that these have', () => {
    for (const expr of queries()) {
      const names = expr.match(/\b(chauffeur|process|nodejs)[_:][\w:]+|\bup\b/g) ?? [];
      assert.ok(names.length > 0, expr);
      assert.deepEqual(
        names.filter((name) => !series.has(name)),
        [],
        expr,
      );
      for (const [, name = '', selector = ''] of expr.matchAll(/\b(chauffeur_\w+)\{([^}]*)\}/g)) {
        const metric = Object.values(METRICS).find((definition) =>
          new RegExp(`^${definition.name}(_bucket|_count|_sum)?$`).test(name),
        );
        const labels = new Set(['job', 'instance', 'le', ...Object.keys(metric?.labels ?? {})]);
        for (const [, label = '', operator, value = ''] of selector.matchAll(/(\w+)(=~?|!~|!=)"([^"]*)"/g)) {
          assert.ok(labels.has(label), `${label}: ${expr}`);
          const values = metric?.labels[label as never] as readonly string[] | string | undefined;
          if (Array.isArray(values) && operator !== '!~')
            for (const part of value.split('|')) assert.ok(values.includes(part), `${label}="${part}": ${expr}`);
        }
      }
    }
  });

  it('show every metric of the server', () => {
    const shown = queries().join('\n');
    assert.deepEqual(
      Object.values(METRICS)
        .filter(({ name }) => !shown.includes(name))
        .map(({ name }) => name),
      [],
    );
  });

  it('describe each panel, and give it its own title in its row', () => {
    for (const { title, panels: inRow } of DASHBOARD)
      assert.equal(new Set(inRow.map((panel) => panel.title)).size, inRow.length, title);
    for (const { title, description } of panels) assert.match(description, /^[A-Za-z].*\.$/s, title);
  });

  it('have a section of the runbook and tests for each alert', async () => {
    const runbook = await readFile(join(ROOT, 'docs/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^## (Chauffeur\w+)$/gm)].map(([, name]) => name);
    assert.deepEqual(sections.toSorted(), alerts.toSorted());
    for (const { alert = '', annotations } of rules.filter((rule) => rule.alert !== undefined))
      assert.equal(annotations?.runbook, `docs/runbook.md#${fragmentOf(alert)}`);
    const { tests } = await readYaml<{ tests: { promql_expr_test: Expectation[] }[] }>(
      'ops/prometheus/chauffeur.test.yml',
    );
    const fired = new Set(
      tests.flatMap((test) =>
        test.promql_expr_test.flatMap((expectation) =>
          expectation.exp_samples.map(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1]),
        ),
      ),
    );
    assert.deepEqual([...fired].toSorted(), alerts.toSorted());
  });
});
