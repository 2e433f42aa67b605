// Suites of the command and the website, which use one process otherwise, on a cluster behind nginx. All of them run
// with CHAUFFEUR_TEST_CLUSTER=1 npm run test:one -- e2e/ship.test.ts e2e/website.*.test.ts
import '../setup/use-cluster.ts';
import '../setup/shared-chromium.ts';
import { test } from 'node:test';
import { isClusterPossible, NO_CLUSTER } from '../setup/cluster.ts';

const SUITES = ['ship', 'website.first-build', 'website.builds', 'website.crashes', 'website.live', 'website.play'];

if (await isClusterPossible()) for (const suite of SUITES) await import(`../${suite}.test.ts`);
else test('the command and the website', (t) => t.skip(NO_CLUSTER));
