// Tests downloads from a symbol server over HTTP: requests, saved files and retries.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { ModuleId } from '../module-symbols.ts';
import { readServerUrl } from './server-url.ts';
import { SymbolServer, type SymbolServerLimits, serverPathOf, symbolUrlOf } from './symbol-server.ts';

const ID = 'ABCDEF0123456789ABCDEF01234567891f';
const GAME: ModuleId = { debugFile: 'game.pdb', debugId: ID, codeFile: 'C:\\Users\\ann\\game.exe', codeId: '5b2a' };
const TEXT = `MODULE windows x86_64 ${ID} game.pdb\nPUBLIC 1000 0 main\n`;

describe('SymbolServer', () => {
  const http = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  let requests: string[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let url: URL;
  let folder: string;
  let problems: string[] = [];

  before(async () => {
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/symbols/s3cret/`);
  });
  after(() => {
    http.closeAllConnections();
    http.close();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'symbol-server-'));
    requests = [];
    problems = [];
    answer = (_, response) => response.end(TEXT);
  });

  const serve = (limits: Partial<SymbolServerLimits> = {}) =>
    new SymbolServer(url, { cacheFolder: folder, limits, onProblem: (problem) => problems.push(problem) });
  const filesIn = (server: SymbolServer) =>
    existsSync(server.folder)
      ? readdirSync(server.folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
          entry.isFile() ? [entry.name] : [],
        )
      : [];

  it("requests a file at the usual path, with the program in the query but not the player's folders", async () => {
    const server = serve();
    assert.equal(await server.fetch({ ...GAME, debugId: ID.toLowerCase() }), true);
    assert.deepEqual(requests, [`/symbols/s3cret/game.pdb/${ID}/game.sym?code_file=game.exe&code_id=5b2a`]);
    assert.equal(readFileSync(join(server.folder, 'game.pdb', ID, 'game.sym'), 'utf8'), TEXT);
  });

  it('sends no request for a file that was already downloaded', async () => {
    await serve().fetch(GAME);
    answer = (request) => request.socket.destroy();
    assert.equal(await serve().fetch(GAME), true);
    assert.equal(requests.length, 1);
  });

  it('requests a module without a debug id by its code id, and accepts only a file with it', async () => {
    const zeros = '0'.repeat(33);
    const module = { debugFile: '', debugId: zeros, codeFile: 'C:\\Games\\godot.exe', codeId: '63cf138f21000' };
    answer = (_, response) => response.end(`MODULE windows x86 ${zeros} godot.exe\nINFO CODE_ID 63CF138F21000\n`);
    assert.equal(await serve().fetch(module), true);
    assert.match(requests[0] ?? '', /^\/symbols\/s3cret\/godot\.exe\/63cf138f21000\/godot\.exe\.sym\?/);
    assert.equal(await serve().fetch({ ...module, codeId: '63cf138f22000' }), false);
    assert.match(problems.join(), /another id/);
  });

  it('accepts gzip responses', async () => {
    answer = (request, response) => {
      assert.match(request.headers['accept-encoding'] ?? '', /gzip/);
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(TEXT));
    };
    const server = serve();
    assert.equal(await server.fetch(GAME), true);
    assert.equal(readFileSync(join(server.folder, 'game.pdb', ID, 'game.sym'), 'utf8'), TEXT);
  });

  it('requests a missing file again after an hour, but not earlier', async () => {
    answer = (_, response) => response.writeHead(404).end('{}');
    const server = serve();
    assert.deepEqual([await server.fetch(GAME), await server.fetch(GAME), requests.length], [false, false, 1]);
    assert.deepEqual(problems, []);
    answer = (_, response) => response.end(TEXT);
    const mark = join(server.folder, 'game.pdb', ID, 'game.sym.absent');
    for (const hours of [2, -2]) {
      utimesSync(mark, new Date(), new Date(Date.now() - hours * 3_600_000));
      assert.equal(await server.fetch(GAME), true);
      assert.ok(!existsSync(mark));
      rmSync(join(server.folder, 'game.pdb'), { recursive: true });
      answer = (_, response) => response.writeHead(404).end();
      await server.fetch(GAME);
      answer = (_, response) => response.end(TEXT);
    }
  });

  const BAD: Record<string, [(request: IncomingMessage, response: ServerResponse) => void, RegExp]> = {
    'another status': [(_, response) => response.writeHead(500).end(), /responded with status 500/],
    'a web page instead of symbols': [
      (_, response) => response.end('<html>Sign in</html>'),
      /begins with a MODULE line/,
    ],
    'an empty body': [(_, response) => response.end(), /begins with a MODULE line/],
    'symbols of another module': [(_, response) => response.end(TEXT.replace(ID, `${ID}0`)), /module with another id/],
    'a body above the limit': [(_, response) => response.end(TEXT + ' '.repeat(10_000)), /more than 9000 bytes/],
    'a small body that decompresses to more than the limit': [
      (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(TEXT + ' '.repeat(1_000_000))),
      /more than 9000 bytes/,
    ],
    'an incomplete body': [
      (_, response) => {
        response.writeHead(200, { 'content-length': 5000 });
        response.write(TEXT, () => response.destroy());
      },
      /./,
    ],
    'a stalled body': [(_, response) => void response.writeHead(200).write(TEXT), /no data for 300 ms/],
    'no response': [() => undefined, /no data for 300 ms/],
    'no connection': [(request) => request.socket.destroy(), /./],
  };
  for (const [failure, [bad, problem]] of Object.entries(BAD)) {
    it(`leaves no file after ${failure}, reports the reason without the secret, and tries again`, async () => {
      answer = bad;
      const server = serve({ bytes: 9000, idleMilliseconds: 300 });
      assert.equal(await server.fetch(GAME), false);
      assert.deepEqual(filesIn(server), []);
      assert.equal(problems.length, 1);
      assert.match(problems[0] as string, problem);
      assert.match(problems[0] as string, /^could not download game\.pdb from 127\.0\.0\.1:\d+: /);
      assert.ok(!problems[0]?.includes('s3cret'));
      answer = (_, response) => response.end(TEXT);
      assert.equal(await server.fetch(GAME), true);
    });
  }

  it('sends no more requests after three consecutive failures, or after the maximum number of requests', async () => {
    answer = (_, response) => response.writeHead(503).end();
    const named = (name: string) => ({ ...GAME, debugFile: name });
    const broken = serve();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await broken.fetch(named(name));
    assert.equal(requests.length, 3);
    assert.match(problems.at(-1) as string, /no more requests to .* after 3 failures/);
    requests = [];
    answer = (_, response) => response.writeHead(404).end();
    const limited = serve({ requests: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await limited.fetch(named(name));
    assert.equal(requests.length, 2);
  });

  it('sends no request for names that would leave the folder, name a device or are too long', async () => {
    const server = serve();
    const names = ['..', '.. ', 'nul', 'a\0b', 'a:b', 'x'.repeat(230), '\ud800', '../../..', 'a/..', '..\\..'];
    for (const debugFile of names) assert.equal(await server.fetch({ ...GAME, debugFile }), false, debugFile);
    for (const debugId of ['', '..', '../..', 'x/y', 'a\0', '0'.repeat(33), '0'.repeat(65)])
      assert.equal(await server.fetch({ ...GAME, debugId, codeId: '' }), false, debugId);
    assert.equal(await server.fetch({ ...GAME, debugFile: '', codeFile: '' }), false);
    assert.deepEqual([requests, filesIn(server)], [[], []]);
  });

  it('has its own folder, whose name does not reveal the URL of the server', () => {
    const other = new SymbolServer(new URL('https://symbols.example/'), { cacheFolder: folder });
    assert.notEqual(serve().folder, other.folder);
    assert.match(serve().folder.slice(folder.length), /^[/\\][0-9a-f]{16}$/);
  });
});

describe('the URL of a symbol file', () => {
  it('has the name and id of the program if the module has no debug file or debug id', () => {
    const module = {
      debugFile: '',
      debugId: '0'.repeat(33),
      codeFile: 'C:\\Games\\godot.exe',
      codeId: '63cf138f21000',
    };
    assert.deepEqual(serverPathOf(module), ['godot.exe', '63cf138f21000', 'godot.exe.sym']);
  });

  it("is below the server's URL, with encoded names", () => {
    const server = readServerUrl('https://symbols.example/api/v1/?key=1') as URL;
    const module = { ...GAME, debugFile: '/opt/My Game#1?.so', codeFile: '', codeId: '' };
    assert.equal(serverPathOf(module), undefined);
    const named = { ...module, debugFile: '/opt/My Game#1%2f.so' };
    assert.equal(
      symbolUrlOf(server, serverPathOf(named)!, named).href,
      `https://symbols.example/api/v1/My%20Game%231%252f.so/${ID}/My%20Game%231%252f.so.sym?key=1`,
    );
  });

  it('must use http or https and have no credentials', () => {
    for (const text of ['', 'symbols.example', 'ftp://x/', 'file:///etc', 'https://ann:pw@x/', 'http://ann@x/'])
      assert.equal(readServerUrl(text), undefined, text);
    assert.equal(readServerUrl('https://x')?.href, 'https://x/');
  });
});
