// Runs the steps of the recipes for CI systems as these systems would, with a real server.
import assert from 'node:assert/strict';
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { handOutSources } from '../setup/offered-command.ts';
import { type Environment, launch, makeFolder, type ServiceProcess, startService } from '../setup/processes.ts';
import { openStudioByCommands, readOffers, type Studio } from '../setup/studio.ts';

const ROOT = join(import.meta.dirname, '../..');

const readRecipe = (path: string) => readFile(join(ROOT, 'integrations', path), 'utf8');
/** Removes the indentation that a text has in its file. */
const unindent = (text: string) => text.replaceAll(/^ +/gm, '');

type Step = { if?: string; shell: string; env: Environment; run: string };
type Action = {
  inputs: Record<string, { default?: string; required?: boolean }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
};

describe('the recipes for CI', () => {
  let work: Awaited<ReturnType<typeof makeFolder>>;
  let service: ServiceProcess;
  let studio: Studio;
  before(async () => {
    work = await makeFolder();
    const offered = join(work.path, 'offered');
    await handOutSources(offered);
    service = await startService(join(work.path, 'data'), { CHAUFFEUR_CLI_FOLDER: offered });
    studio = await openStudioByCommands(service);
  });
  after(async () => {
    await service?.stop();
    await work?.remove();
  });

  /** Creates the folder of a CI job with a built game in `dist/my game`. */
  async function checkOut(name: string): Promise<string> {
    const folder = join(work.path, name);
    await mkdir(join(folder, 'dist/my game'), { recursive: true });
    await mkdir(join(folder, 'temp'));
    await writeFile(join(folder, 'dist/my game/run'), name);
    await chmod(join(folder, 'dist/my game/run'), 0o755);
    return folder;
  }

  async function runShell(folder: string, shell: string[], script: string, environment: Environment): Promise<string> {
    await writeFile(join(folder, 'temp/step.sh'), script);
    const [program = 'sh', ...flags] = shell;
    const { code, stdout, stderr } = await launch(program, [...flags, join(folder, 'temp/step.sh')], {
      folder,
      environment: { ...credentials(), SERVICE_API_URL: '', SERVICE_UPLOAD_URL: '', ...environment },
    }).ended;
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    return stdout;
  }

  function credentials(): Environment {
    const { SERVICE_ACCESS_TOKEN = '', SERVICE_SECRET_KEY = '' } = studio.environment;
    return { SERVICE_ACCESS_TOKEN, SERVICE_SECRET_KEY };
  }

  async function assertOffered(version: string): Promise<void> {
    const offers = await readOffers(service, studio.slug);
    assert.ok(
      offers.some((offer) => offer.version === version),
      version,
    );
  }

  test('the action for GitHub pushes a build and returns its ids', async () => {
    const folder = await checkOut('github');
    const action = parse(await readRecipe('github/action.yml')) as Action;
    const { SERVICE_ACCESS_TOKEN: token, SERVICE_SECRET_KEY: secret } = studio.environment;
    const inputs: Record<string, string | undefined> = {
      ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])),
      ...{ server: service.url, token, secret, folder: 'dist/my game', version: '1.0.1', os: 'linux', arch: 'x86_64' },
      ...{ title: 'A "title"; $(false)', changelog: 'New: Everything\nFixes\n' },
    };
    const files = { GITHUB_PATH: join(folder, 'temp/path'), GITHUB_OUTPUT: join(folder, 'temp/output') };
    for (const file of Object.values(files)) await writeFile(file, '');
    const values: Record<string, string | undefined> = {
      'runner.temp': join(folder, 'temp'),
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value])),
    };
    const evaluate = (text: string) =>
      text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, name: string) => {
        assert.ok(values[name] !== undefined, name);
        return values[name];
      });
    for (const { if: condition, shell, env, run } of action.runs.steps) {
      if (condition === "runner.os == 'Windows'") continue;
      assert.equal(shell, 'bash');
      assert.doesNotMatch(run, /\$\{\{/, 'inputs are not part of a script');
      const path = (await readFile(files.GITHUB_PATH, 'utf8')).trim();
      await runShell(folder, ['bash', '--noprofile', '--norc', '-eo', 'pipefail'], run, {
        ...files,
        PATH: `${path}:${process.env.PATH}`,
        ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluate(value)])),
      });
    }
    for (const line of (await readFile(files.GITHUB_OUTPUT, 'utf8')).trim().split('\n')) {
      const [name = '', ...value] = line.split('=');
      values[`steps.push.outputs.${name}`] = value.join('=');
    }
    const outputs = Object.fromEntries(
      Object.entries(action.outputs).map(([name, { value }]) => [name, evaluate(value)]),
    );
    assert.equal(outputs.page, `${service.url}/dev/${studio.slug}/builds/${outputs['build-id']}`);
    assert.match(outputs.checksum ?? '', /^[0-9a-f]{64}$/);
    await assertOffered('1.0.1');
    const { builds } = JSON.parse(
      await runShell(folder, ['sh'], 'temp/chauffeur/chauffeur builds list --version 1.0.1 --json', {
        SERVICE_API_URL: service.api,
      }),
    );
    assert.equal(builds[0].title, 'A "title"; $(false)');
    assert.deepEqual(builds[0].changelog_items, [
      { title: 'New', description: 'Everything' },
      { title: 'Fixes', description: '' },
    ]);
  });

  test('the action for GitHub has no error that actionlint finds in a workflow that uses it', async (t) => {
    const folder = await checkOut('lint');
    const target = join(folder, '.github/actions/chauffeur');
    await mkdir(target, { recursive: true });
    await mkdir(join(folder, '.github/workflows'));
    await mkdir(join(folder, '.git'));
    await copyFile(join(ROOT, 'integrations/github/action.yml'), join(target, 'action.yml'));
    const docs = await readFile(join(ROOT, 'docs/ci.md'), 'utf8');
    const [, workflow = ''] = /```yaml\n(# \.github\/workflows\/.*?)```/s.exec(docs) ?? [];
    assert.match(workflow, /uses: \.\/\.github\/actions\/chauffeur/);
    await writeFile(join(folder, '.github/workflows/ship.yml'), workflow);
    try {
      const { code, stdout } = await launch('actionlint', [], { folder, environment: {} }).ended;
      assert.equal(code, 0, stdout);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      if (process.env.CI === 'true') throw new Error('actionlint not found; install it');
      t.skip('skipped: actionlint not found');
    }
  });

  test('the job for GitLab pushes a build and passes its ids to later jobs', async () => {
    const folder = await checkOut('gitlab');
    const [head, body] = (await readRecipe('gitlab/push.yml')).split('\n---\n');
    const { spec } = parse(head ?? '') as { spec: { inputs: Record<string, { default?: string }> } };
    const given: Record<string, string> = { server: service.url, folder: 'dist/my game', os: 'linux', arch: 'x86_64' };
    const filled = (body ?? '').replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
      const value = given[name] ?? spec.inputs[name]?.default;
      assert.ok(value !== undefined, name);
      return value;
    });
    const [jobs] = parseAllDocuments(filled).map((document) => document.toJS());
    const [[name, job]] = Object.entries(jobs) as [[string, { variables: Environment; script: string[] }]];
    assert.equal(name, 'push-linux-x86_64');
    const own: Environment = { CI_PROJECT_DIR: folder, CI_COMMIT_TAG: '1.0.2' };
    const variables = Object.entries(job.variables).map(([key, value]) => [
      key,
      value.replaceAll(/\$(\w+)/g, (_, variable: string) => own[variable] ?? ''),
    ]);
    await runShell(folder, ['sh', '-e'], job.script.join('\n'), { ...own, ...Object.fromEntries(variables) });
    assert.match(
      await readFile(join(folder, 'chauffeur.env'), 'utf8'),
      /^build_id=.*\nfile_uid=.*\nchecksum=.*\nstatus=.*\npage=http.*\n$/,
    );
    await assertOffered('1.0.2');
  });

  test('the pipeline for Jenkins pushes a build', async () => {
    const folder = await checkOut('jenkins');
    const pipeline = await readRecipe('jenkins/Jenkinsfile');
    const [, script = ''] = /sh '''(.*?)'''/s.exec(pipeline) ?? [];
    const environment = Object.fromEntries(
      [...pipeline.matchAll(/^ {4}([A-Z_]+) = ["'](.*)["']$/gm)].map(([, name, value]) => [name, value]),
    ) as Environment;
    assert.ok(environment.SERVICE_API_URL && environment.GAME_FOLDER);
    await runShell(folder, ['sh', '-xe'], unindent(script), {
      ...environment,
      CHAUFFEUR_SERVER: service.url,
      SERVICE_API_URL: environment.SERVICE_API_URL.replace(`$\{CHAUFFEUR_SERVER}`, service.url),
      CHAUFFEUR_INSTALL_DIR: join(folder, 'temp/chauffeur'),
      GAME_FOLDER: 'dist/my game',
      VERSION: '1.0.3',
      CHANNEL: 'stable',
    });
    await assertOffered('1.0.3');
  });

  test('the meta-runner for TeamCity pushes a build', async () => {
    const folder = await checkOut('teamcity');
    const runner = await readRecipe('teamcity/ChauffeurPush.xml');
    const [, script = ''] = /<!\[CDATA\[(.*?)\]\]>/s.exec(runner) ?? [];
    const parameters = Object.fromEntries(
      [...runner.matchAll(/<param name="env\.(\w+)" value="(.*?)"/g)].map(([, name, value]) => [name, value]),
    ) as Environment;
    await runShell(folder, ['sh'], script, {
      ...parameters,
      ...credentials(),
      TMPDIR: join(folder, 'temp'),
      CHAUFFEUR_SERVER: service.url,
      GAME_FOLDER: 'dist/my game',
      GAME_VERSION: '1.0.4',
    });
    await assertOffered('1.0.4');
  });
});
