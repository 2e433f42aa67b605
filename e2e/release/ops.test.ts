// Tests the files that run and monitor the server elsewhere: the Helm chart, the unit of systemd, the alerts, the
// dashboard, compose.yaml and the Dockerfile.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../packages/server/src/config.ts';
import { createMetrics } from '../../packages/server/src/kernel/telemetry/metrics.ts';
import { launch, type Result } from '../setup/processes.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHART = join(ROOT, 'ops/helm/chauffeur');
const REQUIRED = [
  '--set',
  'existingSecret=secrets',
  '--set',
  'settings.CHAUFFEUR_PUBLIC_URL=https://games.example.com',
];
const EVERYTHING = [
  ...['--set', 'api.autoscaling.enabled=true', '--set', 'worker.autoscaling.enabled=true'],
  ...['--set', 'ingress.enabled=true', '--set', 'ingress.className=nginx', '--set', 'ingress.tlsSecret=certificate'],
  ...['--set', 'networkPolicy.from[0].podSelector.matchLabels.app=ingress', '--set', 'nodeSelector.disk=fast'],
  ...['--set', 'imagePullSecrets[0].name=registry', '--set', 'image.tag=1.2.3'],
  ...['--set', 'legalPages.imprint\\.en\\.md=# Imprint', '--set', 'settings.CHAUFFEUR_IMPRINT_EN=/legal/imprint.en.md'],
];

async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'chauffeur-ops-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a tool; undefined, with the test skipped, if it isn't installed. */
async function runTool(t: TestContext, tool: string, ...args: string[]): Promise<Result | undefined> {
  try {
    return await launch(tool, args, { environment: {} }).ended;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    if (process.env.CI === 'true') throw new Error(`${tool} not found; install it`);
    t.skip(`skipped: ${tool} not found`);
    return undefined;
  }
}

/** The same for a run that must succeed: its output. */
async function requireTool(t: TestContext, tool: string, ...args: string[]): Promise<string | undefined> {
  const result = await runTool(t, tool, ...args);
  if (result === undefined) return undefined;
  assert.equal(result.code, 0, `${result.stdout}\n${result.stderr}`);
  return result.stdout;
}

type Dashboard = { panels: { targets?: { expr: string }[] }[] };
type Manifest = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  /** Absent in a ConfigMap. */
  spec?: { template?: { spec: Pod }; replicas?: number };
  data?: Record<string, string>;
};
type Pod = {
  containers: {
    args: string[];
    securityContext: Record<string, unknown>;
    envFrom: unknown;
    env: { name: string }[];
    volumeMounts: { name: string; mountPath: string }[];
    ports?: { name: string }[];
  }[];
  securityContext: Record<string, unknown>;
  automountServiceAccountToken: boolean;
};

describe('the Helm chart', () => {
  async function render(t: TestContext, ...args: string[]): Promise<Manifest[] | undefined> {
    const rendered = await requireTool(t, 'helm', 'template', 'release', CHART, ...REQUIRED, ...args);
    if (rendered === undefined) return undefined;
    return parseAllDocuments(rendered)
      .map((document) => document.toJS() as Manifest | null)
      .filter((manifest) => manifest !== null);
  }

  test('needs an address and a secret, and has no fault', async (t) => {
    const without = await runTool(t, 'helm', 'lint', CHART);
    if (without === undefined) return;
    assert.equal(without.code, 1);
    assert.match(without.stdout, /existingSecret/);
    assert.match(without.stdout, /CHAUFFEUR_PUBLIC_URL/);
    for (const options of [[], EVERYTHING]) {
      await requireTool(t, 'helm', 'lint', '--strict', CHART, ...REQUIRED, ...options);
    }
  });

  test('renders what Kubernetes accepts, with and without every option', async (t) => {
    const folder = await makeFolder(t);
    for (const options of [[], EVERYTHING]) {
      const rendered = await requireTool(t, 'helm', 'template', 'release', CHART, ...REQUIRED, ...options);
      if (rendered === undefined) return;
      const file = join(folder, 'manifests.yaml');
      await writeFile(file, rendered);
      await requireTool(t, 'kubernetes-validate', '--strict', file);
    }
  });

  test('runs the API, the workers and a migration without rights, and with secrets by reference only', async (t) => {
    const manifests = await render(t, ...EVERYTHING);
    if (manifests === undefined) return;
    const pods = manifests.flatMap(({ spec }) => spec?.template?.spec ?? []);
    assert.deepEqual(pods.map(({ containers: [container] }) => container?.args[0]).sort(), [
      'api',
      'migrate',
      'worker',
    ]);
    for (const { containers, securityContext, automountServiceAccountToken } of pods) {
      assert.equal(automountServiceAccountToken, false);
      assert.equal(securityContext.runAsNonRoot, true);
      for (const container of containers) {
        assert.deepEqual(container.securityContext, {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        assert.deepEqual(container.envFrom, [{ secretRef: { name: 'secrets' } }]);
        assertSettings(container.env.map(({ name }) => name));
      }
    }
  });

  test('gives the API the Markdown files of the imprint and similar pages', async (t) => {
    const manifests = await render(t, ...EVERYTHING);
    if (manifests === undefined) return;
    assert.deepEqual(
      manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ data }) => data),
      [{ 'imprint.en.md': '# Imprint' }],
    );
    const mounting = manifests
      .flatMap(({ spec }) => spec?.template?.spec.containers ?? [])
      .filter(({ volumeMounts }) =>
        volumeMounts.some(({ name, mountPath }) => name === 'legal' && mountPath === '/legal'),
      );
    assert.deepEqual(
      mounting.map(({ args }) => args[0]),
      ['api'],
    );
  });

  test('leaves the number of processes to the autoscaler, if there is one', async (t) => {
    const replicas = async (...options: string[]) => {
      const manifests = await render(t, ...options);
      return manifests?.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec?.replicas);
    };
    const fixed = await replicas();
    if (fixed === undefined) return;
    assert.deepEqual(fixed, [2, 1]);
    assert.deepEqual(await replicas(...EVERYTHING), [undefined, undefined]);
  });
});

describe('monitoring', () => {
  const RULES = join(ROOT, 'ops/prometheus/chauffeur.rules.yml');

  test('has alerts that are valid, and that fire when they should', async (t) => {
    if ((await requireTool(t, 'promtool', 'check', 'rules', '--lint-fatal', RULES)) === undefined) return;
    await requireTool(t, 'promtool', 'test', 'rules', join(ROOT, 'ops/prometheus/chauffeur.test.yml'));
  });

  test('has a dashboard whose queries are valid', async (t) => {
    const dashboard = JSON.parse(await readFile(join(ROOT, 'ops/grafana/chauffeur.json'), 'utf8')) as Dashboard;
    const rules = dashboard.panels
      .flatMap(({ targets = [] }) => targets)
      .map(({ expr }, no) => ({ record: `panel:query:${no}`, expr: expr.replaceAll('$__rate_interval', '5m') }));
    assert.ok(rules.length > 50);
    const folder = await makeFolder(t);
    const file = join(folder, 'dashboard.json');
    // JSON is YAML, too.
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    await requireTool(t, 'promtool', 'check', 'rules', file);
  });

  test('has metrics that follow the conventions of Prometheus', async (t) => {
    if ((await requireTool(t, 'promtool', '--version')) === undefined) return;
    const file = join(await makeFolder(t), 'metrics.txt');
    await writeFile(file, await createMetrics().read());
    const result = await runTool(t, 'sh', '-c', 'exec promtool check metrics < "$1"', 'sh', file);
    const lines = `${result?.stdout}${result?.stderr}`.split('\n').filter((line) => line !== '');
    // Node's own gauges come from the library.
    assert.deepEqual(
      lines.filter((line) => !/^nodejs_active_\w+_total non-counter/.test(line)),
      [],
    );
  });

  test('is part of the Helm chart, with the port and the token that it needs', async (t) => {
    const options = ['--set', 'monitoring.enabled=true', '--set', 'monitoring.labels.release=prometheus'];
    const rendered = await requireTool(t, 'helm', 'template', 'release', CHART, ...REQUIRED, ...options);
    if (rendered === undefined) return;
    await requireTool(t, 'helm', 'lint', '--strict', CHART, ...REQUIRED, ...options);
    const documents = parseAllDocuments(rendered).filter((document) => document.toJS() !== null);
    const manifests = documents.map((document) => document.toJS() as Manifest);
    const folder = await makeFolder(t);
    const builtIn = documents.filter((_, no) => !manifests[no]!.apiVersion.startsWith('monitoring.coreos.com/'));
    assert.equal(documents.length - builtIn.length, 2);
    const file = join(folder, 'manifests.yaml');
    await writeFile(file, builtIn.map(String).join('---\n'));
    await requireTool(t, 'kubernetes-validate', '--strict', file);
    const rule = manifests.find(({ kind }) => kind === 'PrometheusRule');
    assert.deepEqual(rule?.spec, parse(await readFile(RULES, 'utf8')));
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Deployment')) {
      const [container] = spec!.template!.spec.containers;
      assert.ok(container?.ports?.some(({ name }) => name === 'metrics'));
      assert.ok(container?.env.some(({ name }) => name === 'CHAUFFEUR_METRICS_PORT'));
    }
  });
});

test('the unit of systemd is valid, and keeps the server from everything that it does not need', async (t) => {
  const folder = await makeFolder(t);
  // systemd checks that the program exists.
  const program = join(folder, 'chauffeur-server');
  await writeFile(program, '');
  await chmod(program, 0o755);
  const unit = join(folder, 'chauffeur.service');
  const text = await readFile(join(ROOT, 'ops/systemd/chauffeur.service'), 'utf8');
  await writeFile(unit, text.replace(/^ExecStart=\S+/m, `ExecStart=${program}`));
  const verified = await runTool(t, 'systemd-analyze', 'verify', unit);
  if (verified === undefined) return;
  assert.equal(verified.code, 0, verified.stderr);
  assert.equal(verified.stderr, '');
  await requireTool(t, 'systemd-analyze', 'security', '--offline=true', '--threshold=20', unit);
  assertSettings([...text.matchAll(/\b(CHAUFFEUR_\w+)=/g)].map(([, name]) => name!));
});

test('compose.yaml uses settings that exist, and starts the processes after the migration', async () => {
  type Service = { command?: string[]; environment?: Record<string, string>; depends_on?: Record<string, object> };
  const { services } = parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, Service>;
  };
  for (const name of ['migrate', 'api', 'worker']) {
    const { command, environment, depends_on: needs } = services[name] ?? {};
    assert.deepEqual(command, [name]);
    assertSettings(Object.keys(environment ?? {}));
    if (name !== 'migrate') assert.ok(needs?.migrate !== undefined);
  }
});

test('the Dockerfile installs the packages of every workspace, and starts an account that is not root', async () => {
  const text = await readFile(join(ROOT, 'Dockerfile'), 'utf8');
  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  const folders = Object.keys(lock.packages).filter((path) => path !== '' && !path.includes('node_modules/'));
  assert.ok(folders.length >= 7);
  for (const folder of folders) assert.match(text, new RegExp(`^COPY ${folder}/package.json ${folder}/$`, 'm'));
  assert.match(text, /^USER 1000:1000$/m);
  assertSettings([...text.matchAll(/\b(CHAUFFEUR_\w+)=/g)].map(([, name]) => name!));
});

/** Variables of the AWS SDK, Node and PostgreSQL are not in the table of settings. */
function assertSettings(names: readonly string[]): void {
  const known = new Set(Object.values(SETTINGS).map(({ variable }) => variable));
  const unknown = names.filter((name) => name.startsWith('CHAUFFEUR_') && !known.has(name as never));
  assert.deepEqual(unknown, []);
}
