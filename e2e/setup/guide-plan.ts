// How each block of commands of the guides is tested. A block that is missing here fails
// scripts/guide-commands.test.ts.

/** `needs` is a program that the tests run only if it is installed, and always in CI. */
export type Plan =
  /** It is run as it is. */
  | { readonly run: true; readonly needs?: string }
  /** A changed version is run, for a reason. */
  | { readonly run: (text: string) => string; readonly because: string; readonly needs?: string }
  /** Another test, or the script of CI, runs it; `as` is a part of it. */
  | { readonly elsewhere: string; readonly as: string }
  /** It can't be run in CI; only its syntax is checked. */
  | { readonly not: string };

const RUN: Plan = { run: true };
const SYSTEMD: Plan = { not: 'no systemd runs in CI' };
const INSTALLATION = 'e2e/release/installation.test.ts';

/** Keys are the page and the first line of the block. */
export const GUIDE_PLANS: Readonly<Record<string, Plan>> = {
  // Start and ship
  'start: curl -fsSL https://games.example.com/cli/install.sh | sh': RUN,
  'start: chauffeur login games.example.com': {
    elsewhere: 'e2e/website.cli-login.test.ts',
    as: "['login', '--no-browser', site.service.url.replace('http://', '')]",
  },
  'start: chauffeur build --version 1.0.0 --os linux --arch x86_64 --write chauffeur.json': RUN,
  'start: chauffeur push dist/linux --version 1.0.0 --os linux --arch x86_64': RUN,
  'ci: export CHAUFFEUR_INSTALL_DIR="$HOME/chauffeur"': RUN,
  'ci: chauffeur symbols --build-id "$BUILD_ID" symbols': RUN,
  'ci: chauffeur promote "$VERSION" --channel stable': {
    elsewhere: 'e2e/channels.test.ts',
    as: "run('promote', '1.1.0')",
  },
  'api-tokens: export CHAUFFEUR_TOKEN=chf_api_…': {
    elsewhere: 'e2e/website.api-tokens.test.ts',
    as: '-H "Authorization: Bearer $CHAUFFEUR_TOKEN"',
  },
  'audit: curl -H "Authorization: Bearer $CHAUFFEUR_TOKEN" \\': {
    elsewhere: 'packages/server/test/audit.test.ts',
    as: '/audit/export?format=',
  },
  'sentry: export SENTRY_URL=https://games.example.com': {
    elsewhere: 'e2e/sentry-cli.test.ts',
    as: 'SENTRY_URL: server.url',
  },
  'source-code: chauffeur push dist/linux --version 1.2.0 --os linux --arch x86_64 --commit 84120': RUN,
  'play: chauffeur push dist/web --version 1.0.0 --os web --arch wasm32': RUN,
  'play: curl "https://games.example.com/api/v1/public/games/small-walk/files/$FILE_UID/play"': RUN,
  'shelves: curl "https://games.example.com/api/v1/public/shelves/unheard_of?os=windows"': RUN,

  'rollouts: chauffeur rollout start 1.4.0 --steps "5%:4h,25%:1d,100%"': {
    elsewhere: 'e2e/channels.test.ts',
    as: "'--steps', '5%:4h,25%:1d,100%'",
  },
  'rollouts: curl "https://games.example.com/api/v1/public/games/small-walk/updates?build_id=$BUILD_ID&device_uid=$DEVICE_UID"':
    { elsewhere: 'packages/server/test/updates.test.ts', as: 'const pathOf = (uid: string)' },

  // The command
  'cli: curl -fsSL https://games.example.com/cli/install.sh | sh': RUN,
  'cli: npm install -g https://games.example.com/cli/chauffeur.tgz': {
    elsewhere: 'e2e/release/server.test.ts',
    as: '/cli/chauffeur.tgz',
  },
  'cli: chauffeur login games.example.com': {
    elsewhere: 'e2e/website.cli-login.test.ts',
    as: "['login', '--no-browser', site.service.url.replace('http://', '')]",
  },
  'cli: chauffeur push dist/windows --version 1.0.0 --os windows --arch x86_64 --changelog "First release: Hello, world."':
    RUN,
  'cli: export SERVICE_API_URL=https://games.example.com/api/v1': {
    run: (text) => text.replaceAll(/^export SERVICE_(ACCESS_TOKEN|SECRET_KEY)=…\n/gm, ''),
    because: 'the keys are those of the test',
  },
  'cli: chauffeur genbuild --version 1.0.0 --os windows --arch x86_64                        # write build.yml': RUN,
  'cli: pass show chauffeur/secret | chauffeur info --access "$TOKEN" --secret-stdin': {
    run: (text) => text.replace('pass show chauffeur/secret', 'printenv SERVICE_SECRET_KEY'),
    because: 'pass needs a key of GnuPG',
  },
  'cli: chauffeur build --version 1.2.0 --os windows --arch x86_64 --write Assets/ChauffeurBuild.cs': RUN,
  'cli: chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" symbols': RUN,
  'cli: npx minidump-stackwalk --symbols-url "$SYMBOLS_URL" crash.dmp': RUN,
  'cli: chauffeur completion bash > ~/.local/share/bash-completion/completions/chauffeur': RUN,
  'cli: openssl s_client -connect games.example.com:443 < /dev/null | openssl x509 > server.pem': {
    not: 'the server of the test has no certificate; packages/cli/test/program.test.ts tests the variable',
  },
  'cli: source <(chauffeur completion zsh)': { not: 'zsh is not installed' },

  'updates: chauffeur install games.example.com/g/night-owls': {
    not: 'e2e/updates.test.ts installs, starts and updates a game by these commands',
  },

  // Crashes and events
  'symbols: dsymutil Game.app/Contents/MacOS/Game -o Game.dSYM': { not: 'dsymutil exists on macOS only' },
  'symbols: gcc -g -O2 -Wl,--build-id -o game game.c': { run: true, needs: 'gcc' },
  'symbols: objcopy --only-keep-debug game game.debug': { run: true, needs: 'gcc' },
  'symbols: emcc -O2 -g -gseparate-dwarf=game.debug.wasm -o game.js game.cpp': {
    not: 'Emscripten is not installed; tests convert a module of Clang',
  },
  'symbols: chauffeur-dump-syms game.wasm game.debug.wasm -o game.sym': { not: 'Emscripten is not installed' },
  "symbols: readelf -n game | grep 'Build ID'": { run: true, needs: 'readelf' },
  'symbols: go build -ldflags="-B=0x$(head -c20 /dev/urandom | od -An -tx1 | tr -d \' \\n\')" -o game .': {
    not: 'the guide has no program in Go',
  },
  'symbols: chauffeur push dist/linux --version 1.3.0 --os linux --arch x86_64 --symbols symbols': RUN,
  'symbols: chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" symbols': RUN,
  'symbols: chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" dist/web': {
    elsewhere: 'packages/server/test/symbols.scripts.test.ts',
    as: "run(['--build-id', buildId, 'web'])",
  },
  'symbols: chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" --inject dist/web': {
    elsewhere: 'packages/server/test/symbols.scripts.test.ts',
    as: "run(['--build-id', buildId, '--inject', 'inject'])",
  },
  'symbols: chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" app/build/outputs/mapping/release': {
    elsewhere: 'packages/server/test/symbols.scripts.test.ts',
    as: "run(['--build-id', buildId, 'android'])",
  },
  'javascript: chauffeur symbols --build-id "$SERVICE_GAMES_BUILD_ID" dist/web': {
    elsewhere: 'packages/server/test/symbols.scripts.test.ts',
    as: "run(['--build-id', buildId, 'web'])",
  },
  'symbols: curl -u "$SERVICE_ACCESS_TOKEN:$SERVICE_SECRET_KEY" \\': RUN,
  'symbols: KEY="$SERVICE_ACCESS_TOKEN:$SERVICE_SECRET_KEY"': { not: 'Debian has no package with sym_upload' },
  'cpp: minidump_upload -p Parking -v 1.2.0 crash.dmp \\': { not: 'Debian has no package with minidump_upload' },
  'crashes: curl -sS https://games.example.com/api/v1/public/crashes \\': RUN,
  'crashes: curl -sS -T crash.dmp "$DUMP_URL"': RUN,
  'engines: curl -sS https://games.example.com/api/v1/public/events \\': RUN,
  'events: curl -sS https://games.example.com/api/v1/public/events \\': RUN,
  'events: curl -sS -b "$SESSION" "https://games.example.com/api/v1/games/$GAME/devices/$DEVICE_UID"': RUN,
  'bugs: curl -sS "https://games.example.com/api/v1/games/$GAME/bugs" -b "$SESSION" \\': RUN,
  'unity: chauffeur build --version 1.2.0 --os windows --arch x86_64 --write Assets/ChauffeurBuild.cs': RUN,
  'unity: chauffeur push dist/windows --version 1.2.0 --os windows --arch x86_64': RUN,
  'unreal: chauffeur build --version 1.2.0 --os windows --arch x86_64 --write Config/DefaultEngine.ini': RUN,
  'unreal: chauffeur push dist/windows --version 1.2.0 --os windows --arch x86_64': RUN,
  'cpp: chauffeur build --version 1.2.0 --os linux --arch x86_64 --write src/chauffeur_build.h': RUN,
  'cpp: chauffeur push dist/linux --version 1.2.0 --os linux --arch x86_64': RUN,
  'electron: chauffeur build --version 1.2.0 --os windows --arch x86_64 --write chauffeur.json': RUN,
  'electron: chauffeur push dist/windows --version 1.2.0 --os windows --arch x86_64': RUN,
  'javascript: chauffeur build --version 1.2.0 --os web --arch wasm32 --write dist/web/chauffeur.json': RUN,
  'javascript: chauffeur push dist/web --version 1.2.0 --os web --arch wasm32': RUN,
  'godot: chauffeur build --version 1.2.0 --os linux --arch x86_64 --write project.godot': RUN,
  'godot: chauffeur push dist/linux --version 1.2.0 --os linux --arch x86_64': RUN,
  'godot: godot --headless --path . --export-release Web dist/web/index.html': {
    not: 'Debian has no package with Godot 4',
  },
  'godot: chauffeur push dist/web --version 1.2.0 --os web --arch wasm32': RUN,
  'unity: chauffeur push dist/web --version 1.2.0 --os web --arch wasm32': {
    run: (text) => text.replace('1.2.0', '1.3.0'),
    because: 'the page about Godot has pushed 1.2.0',
  },

  // Agents and generated clients
  'mcp: claude mcp add --transport http chauffeur https://games.example.com/mcp': { not: 'it needs an account' },
  'mcp: npx @modelcontextprotocol/inspector --cli https://games.example.com/mcp --transport http \\': {
    not: 'it downloads a package that the project does not pin',
  },
  'openapi: npm install --save-dev @hey-api/openapi-ts typescript@6': {
    elsewhere: 'packages/server/test/openapi.test.ts',
    as: "require.resolve('@hey-api/openapi-ts/package.json')",
  },
  'openapi: npx openapi-ts': {
    elsewhere: 'packages/server/test/openapi.test.ts',
    as: 'run(process.execPath, [generator], { cwd: folder })',
  },

  // Operate
  "first-run: echo 'a long password' | chauffeur-server admin user create --email you@example.com --password-stdin --verified":
    RUN,
  'install: npm ci && npm run release -- --server': {
    elsewhere: INSTALLATION,
    as: 'buildServerPackage(',
  },
  'install: npm install --prefix /opt/chauffeur ./chauffeur-server-<version>.tgz': {
    elsewhere: INSTALLATION,
    as: "linesOf('install.md'",
  },
  'install: systemctl disable --now chauffeur': {
    elsewhere: INSTALLATION,
    as: "readCommands('install.md'",
  },
  'service: adduser --system --group --home /var/lib/chauffeur --no-create-home chauffeur': {
    elsewhere: INSTALLATION,
    as: "readCommands('service.md'",
  },
  'service: systemctl daemon-reload && systemctl enable --now chauffeur': SYSTEMD,
  'containers: docker run --stop-timeout 720 --read-only --tmpfs /tmp -v chauffeur:/data -p 127.0.0.1:4000:4000 chauffeur':
    {
      not: 'no container engine runs in CI',
    },
  'containers: kubectl create secret generic chauffeur --from-env-file=secrets.env   # DATABASE_URL, CHAUFFEUR_BLOBS, …':
    {
      run: (text) => text.replace(/^kubectl .*\n/, '').replace('helm install', 'helm template'),
      because: 'no Kubernetes runs in CI',
      needs: 'helm',
    },
  "containers: helm upgrade games ops/helm/chauffeur --reuse-values --set-file 'legalPages.imprint\\.en\\.md=imprint.en.md' \\":
    {
      elsewhere: 'e2e/release/ops.test.ts',
      as: 'settings.CHAUFFEUR_IMPRINT_EN=/legal/imprint.en.md',
    },
  'citus: chauffeur-server distribute --dry-run': {
    elsewhere: 'packages/server/test/database.citus.test.ts',
    as: "distribute(server, '--dry-run')",
  },
  'citus: chauffeur-server distribute': {
    elsewhere: 'packages/server/test/database.citus.test.ts',
    as: 'distribute(server)',
  },
  'scanner: apt-get install clamav-daemon': { elsewhere: '.ci/run', as: 'clamav-daemon' },
  "storage: chauffeur-server blobs copy --from ./data/blobs --to 's3://builds?region=eu-central-1'": RUN,
  'limits: chauffeur-server admin game quota --game UID --storage-mb 512000 --crash-mb default': {
    run: (text) => text.replaceAll(' UID', ' "$GAME_UID"'),
    because: 'readers fill in the uid',
  },
  'monitor: chauffeur-server admin user operator --email you@example.com': RUN,
  'runbook: journalctl --unit chauffeur --output cat --since -1h | grep -E \'"level":"(error|fatal)"\'': SYSTEMD,
  'runbook: systemctl status chauffeur': SYSTEMD,
  'runbook: journalctl --unit chauffeur --output cat --since -1h | grep -E \'"level":"fatal"|"started"\'': SYSTEMD,
  'runbook: curl -sS http://127.0.0.1:4000/ready': {
    run: (text) => text.replace(/^journalctl .*$/m, ''),
    because: 'no systemd runs in CI',
  },
  "runbook: journalctl --unit chauffeur --output cat --since -1h | grep 'database replica' | tail -n 5": SYSTEMD,
  "runbook: journalctl --unit chauffeur --output cat --since -1h | grep 'values for /metrics' | tail -n 3": SYSTEMD,
  "runbook: journalctl --unit chauffeur --output cat --since -1h | grep 'request failed' | tail -n 5": SYSTEMD,
  'runbook: psql "$DATABASE_URL" -c "select now() - query_start as time, state, wait_event_type, left(query, 80)': RUN,
  'runbook: journalctl --unit chauffeur --output cat --since -1d | grep \'"job failed"\' | tail -n 5': SYSTEMD,
  'runbook: journalctl --unit chauffeur --output cat --since -1d | grep \'"scans:scan"\' | tail -n 5': SYSTEMD,
  "runbook: journalctl --unit chauffeur --output cat --since -1h | grep 'request failed' | grep uploads | tail -n 5":
    SYSTEMD,
  'runbook: systemctl status clamav-daemon': SYSTEMD,
  'runbook: systemctl status clamav-freshclam': SYSTEMD,
  'runbook: journalctl --unit chauffeur --output cat --since -1h | grep \'"accounts:send-mail"\' | tail -n 3': SYSTEMD,
  "runbook: journalctl --unit chauffeur --output cat --since -1h | grep -E 'crash dump could not be' | tail -n 5":
    SYSTEMD,
  "runbook: journalctl --unit chauffeur --output cat --since -1h | grep -E 'native file could not be|converter failed' | tail -n 5":
    SYSTEMD,
  'runbook: psql "$DATABASE_URL" -c "select wait_event_type, wait_event, count(*) from pg_stat_activity where state = \'active\'':
    RUN,
  'runbook: journalctl --unit chauffeur --output cat --since -1h | grep \'"level":"error"\' | tail -n 5': SYSTEMD,
  'runbook: du -xh --max-depth 2 /var/lib/chauffeur | sort -h | tail': RUN,
  'runbook: psql "$DATABASE_URL" -c "select state, wait_event_type, count(*), max(now() - xact_start) as longest': RUN,
  'runbook: psql "$DATABASE_URL" -c "select application_name, count(*) from pg_stat_activity group by 1 order by 2 desc"':
    RUN,
  'runbook: systemctl list-timers; crontab -l': SYSTEMD,
  'runbook: chauffeur-server verify': RUN,
  'backups: chauffeur-server backup /mnt/backups/chauffeur --keep 14': RUN,
  'backups: chauffeur-server restore /mnt/backups/chauffeur': RUN,
  'backups: chauffeur-server verify': RUN,
  'update: npm install --prefix /opt/chauffeur-next ./chauffeur-server-<version>.tgz': {
    run: (text) => text.replace(/^npm install .*\n/, ''),
    because: `${INSTALLATION} installs a package`,
  },
  'update: /opt/chauffeur-next/node_modules/.bin/chauffeur-server migrate': RUN,
};
