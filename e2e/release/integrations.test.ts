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

  async function assertHasId(folder: string, file: string, id: string | undefined): Promise<void> {
    assert.match(id ?? '', /^[0-9a-f-]{36}$/);
    assert.ok((await readFile(join(folder, file), 'utf8')).includes(id ?? ''), file);
  }

  test('the action for GitHub registers a build, pushes it and returns its ids', async () => {
    const folder = await checkOut('github');
    const action = parse(await readRecipe('github/action.yml')) as Action;
    const { SERVICE_ACCESS_TOKEN: token, SERVICE_SECRET_KEY: secret } = studio.environment;
    let inputs: Record<string, string | undefined> = {
      ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default])),
      ...{ server: service.url, token, secret, version: '1.0.1', os: 'linux', arch: 'x86_64' },
      ...{ title: 'A "title"; $(false)', changelog: 'New: Everything\nFixes\n' },
    };
    const files = { GITHUB_PATH: join(folder, 'temp/path'), GITHUB_OUTPUT: join(folder, 'temp/output') };
    for (const file of Object.values(files)) await writeFile(file, '');
    let values: Record<string, string | undefined> = {};
    const evaluate = (text: string) =>
      text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, name: string) => {
        assert.ok(values[name] !== undefined, name);
        return values[name];
      });
    /** Runs the action as a step of a workflow, and returns its outputs. */
    const runAction = async (own: Record<string, string>) => {
      inputs = { ...inputs, write: '', folder: '', ...own };
      values = {
        'runner.temp': join(folder, 'temp'),
        ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value])),
      };
      for (const { if: condition, shell, env, run } of action.runs.steps) {
        if (condition === "runner.os == 'Windows'") continue;
        assert.equal(shell, 'bash');
        assert.doesNotMatch(run, /\$\{\{/, 'inputs are not part of a script');
        const path = (await readFile(files.GITHUB_PATH, 'utf8')).trim().replaceAll('\n', ':');
        await runShell(folder, ['bash', '--noprofile', '--norc', '-eo', 'pipefail'], run, {
          ...files,
          PATH: `${path}:${process.env.PATH}`,
          ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluate(value)])),
        });
      }
      for (const { value } of Object.values(action.outputs)) values[value.slice(4, -3)] ??= '';
      for (const line of (await readFile(files.GITHUB_OUTPUT, 'utf8')).trim().split('\n')) {
        const [name = '', ...value] = line.split('=');
        values[`steps.push.outputs.${name}`] = value.join('=');
      }
      return Object.fromEntries(Object.entries(action.outputs).map(([name, { value }]) => [name, evaluate(value)]));
    };
    const registered = await runAction({ write: 'src/build.h\nids.json\n' });
    for (const file of ['src/build.h', 'ids.json']) await assertHasId(folder, file, registered['build-id']);
    const outputs = await runAction({ folder: 'dist/my game' });
    assert.equal(outputs['build-id'], registered['build-id']);
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

  /** Runs the only job of a recipe for GitLab, and returns its name. */
  async function runGitlabJob(folder: string, recipe: string, inputs: Record<string, string>): Promise<string> {
    const [head, body] = (await readRecipe(recipe)).split('\n---\n');
    const { spec } = parse(head ?? '') as { spec: { inputs: Record<string, { default?: string }> } };
    const given: Record<string, string> = { server: service.url, os: 'linux', arch: 'x86_64', ...inputs };
    const filled = (body ?? '').replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
      const value = given[name] ?? spec.inputs[name]?.default;
      assert.ok(value !== undefined, name);
      return value;
    });
    const [jobs] = parseAllDocuments(filled).map((document) => document.toJS());
    const [[name, job]] = Object.entries(jobs) as [[string, { variables: Environment; script: string[] }]];
    const own: Environment = { CI_PROJECT_DIR: folder, CI_COMMIT_TAG: '1.0.2' };
    const variables = Object.entries(job.variables).map(([key, value]) => [
      key,
      value.replaceAll(/\$(\w+)/g, (_, variable: string) => own[variable] ?? ''),
    ]);
    await runShell(folder, ['sh', '-e'], job.script.join('\n'), { ...own, ...Object.fromEntries(variables) });
    return name;
  }

  test('the jobs for GitLab register a build, push it and pass its ids to later jobs', async () => {
    const folder = await checkOut('gitlab');
    const readVariables = () => readFile(join(folder, 'chauffeur.env'), 'utf8');
    const first = await runGitlabJob(folder, 'gitlab/register.yml', { write: 'src/build.h' });
    const [, id] = /^SERVICE_GAMES_APP_ID=.*\nSERVICE_GAMES_BUILD_ID=(.*)\n$/.exec(await readVariables()) ?? [];
    await assertHasId(folder, 'src/build.h', id);
    const second = await runGitlabJob(folder, 'gitlab/push.yml', { folder: 'dist/my game' });
    assert.deepEqual([first, second], ['register-linux-x86_64', 'push-linux-x86_64']);
    const variables = await readVariables();
    assert.match(variables, /^build_id=.*\nfile_uid=.*\nchecksum=.*\nstatus=.*\npage=http.*\n$/);
    assert.ok(variables.startsWith(`build_id=${id}\n`));
    await assertOffered('1.0.2');
  });

  test('the pipeline for Jenkins registers a build and pushes it', async () => {
    const folder = await checkOut('jenkins');
    const pipeline = await readRecipe('jenkins/Jenkinsfile');
    const scripts = [...pipeline.matchAll(/sh '''(.*?)'''/gs)].map(([, script = '']) => script);
    assert.equal(scripts.length, 2);
    const environment = Object.fromEntries(
      [...pipeline.matchAll(/^ {4}([A-Z_]+) = ["'](.*)["']$/gm)].map(([, name, value]) => [name, value]),
    ) as Environment;
    assert.ok(environment.SERVICE_API_URL && environment.GAME_FOLDER);
    const variables = {
      ...environment,
      CHAUFFEUR_SERVER: service.url,
      SERVICE_API_URL: environment.SERVICE_API_URL.replace(`$\{CHAUFFEUR_SERVER}`, service.url),
      CHAUFFEUR_INSTALL_DIR: join(folder, 'temp/chauffeur'),
      GAME_FOLDER: 'dist/my game',
      VERSION: '1.0.3',
      CHANNEL: 'stable',
    };
    const outputs: string[] = [];
    for (const script of scripts) outputs.push(await runShell(folder, ['sh', '-xe'], unindent(script), variables));
    const [, id] = /^build_id=(.*)$/m.exec(outputs.at(-1) ?? '') ?? [];
    await assertHasId(folder, environment.GAME_WRITE ?? '', id);
    await assertOffered('1.0.3');
  });

  /** Runs the script of a meta-runner, with its default parameters, and returns what it prints. */
  async function runTeamcity(folder: string, recipe: string): Promise<string> {
    const runner = await readRecipe(recipe);
    const [, script = ''] = /<!\[CDATA\[(.*?)\]\]>/s.exec(runner) ?? [];
    const parameters = Object.fromEntries(
      [...runner.matchAll(/<param name="env\.(\w+)" value="(.*?)"/g)].map(([, name, value]) => [name, value]),
    ) as Environment;
    return runShell(folder, ['sh'], script, {
      ...parameters,
      ...credentials(),
      TMPDIR: join(folder, 'temp'),
      CHAUFFEUR_SERVER: service.url,
      GAME_FOLDER: 'dist/my game',
      GAME_VERSION: '1.0.4',
    });
  }

  test('the meta-runners for TeamCity register a build and push it', async () => {
    const folder = await checkOut('teamcity');
    await runTeamcity(folder, 'teamcity/ChauffeurRegister.xml');
    const [, id] = /^build_id=(.*)$/m.exec(await runTeamcity(folder, 'teamcity/ChauffeurPush.xml')) ?? [];
    await assertHasId(folder, 'chauffeur.json', id);
    await assertOffered('1.0.4');
  });
});
