import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as features from './features.ts';
import { listJobKinds } from './kernel/jobs/jobs.ts';
import { JOBS, ROUTES } from './registry.ts';

test('each kind of job has one function', () => {
  const names = (kinds: readonly { readonly task: string }[]) => kinds.map(({ task }) => task).toSorted();
  assert.deepEqual(names(JOBS), names(listJobKinds()));
});

test('each listed module has an operation or a job', () => {
  const bound = new Set<unknown>([...ROUTES, ...JOBS]);
  for (const [name, module] of Object.entries<object>(features)) {
    const values = Object.values(module) as unknown[];
    assert.ok(
      values.some((value) => bound.has(value)),
      name,
    );
  }
});
