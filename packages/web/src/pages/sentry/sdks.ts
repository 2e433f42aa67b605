// The lines with which each of Sentry's SDKs reports to a DSN.

/** What the lines contain: the DSN, and the release that the SDK sends. */
type SdkValues = { readonly dsn: string; readonly release: string };

type Step = {
  /** Where the lines belong, as a sentence without a full stop. */
  readonly where: string;
  readonly lines: (values: SdkValues) => string;
};

export type Sdk = {
  readonly id: string;
  readonly name: string;
  readonly steps: readonly Step[];
  /** Where the release comes from if the lines don't set it, or what else to know. */
  readonly note?: string;
};

const RELEASE_NOTE = 'Set the release to the version of the build that you upload.';

export const SDKS: readonly Sdk[] = [
  {
    id: 'unity',
    name: 'Unity',
    steps: [{ where: 'In Tools > Sentry, as the DSN', lines: ({ dsn }) => dsn }],
    note: 'The release is the product name and the version of the player settings, such as “Owls@1.2.0”.',
  },
  {
    id: 'unreal',
    name: 'Unreal Engine',
    steps: [
      {
        where: 'In Config/DefaultEngine.ini, or as the DSN in Project Settings > Plugins > Sentry',
        lines: ({ dsn }) => `[/Script/Sentry.SentrySettings]\nDsn="${dsn}"`,
      },
      {
        where: "If the engine's own Crash Reporter Client sends crashes, add its address there",
        lines: ({ dsn }) => `[CrashReportClient]\nDataRouterUrl="${unrealAddress(dsn)}"`,
      },
    ],
  },
  {
    id: 'godot',
    name: 'Godot',
    steps: [
      {
        where: 'In project.godot, or as the DSN in Project Settings > Sentry > Options',
        lines: ({ dsn }) => `[sentry]\n\noptions/dsn="${dsn}"`,
      },
    ],
    note: 'The release is the name and version of the project, such as “Owls@1.2.0”.',
  },
  {
    id: 'electron',
    name: 'Electron',
    steps: [
      {
        where: 'First in the main process',
        lines: ({ dsn, release }) =>
          `import * as Sentry from '@sentry/electron/main';\n\n${javascriptInit({ dsn, release })}`,
      },
      {
        where: 'First in each renderer, which sends through the main process',
        lines: () => "import * as Sentry from '@sentry/electron/renderer';\n\nSentry.init();",
      },
    ],
  },
  {
    id: 'browser',
    name: 'Web',
    steps: [
      {
        where: 'Before the rest of the game',
        lines: (values) => `import * as Sentry from '@sentry/browser';\n\n${javascriptInit(values)}`,
      },
    ],
    note: RELEASE_NOTE,
  },
  {
    id: 'node',
    name: 'Node.js',
    steps: [
      {
        where: 'In a file that is imported before everything else',
        lines: (values) => `import * as Sentry from '@sentry/node';\n\n${javascriptInit(values)}`,
      },
    ],
    note: RELEASE_NOTE,
  },
  {
    id: 'python',
    name: 'Python',
    steps: [
      {
        where: 'At the start of the program',
        lines: ({ dsn, release }) =>
          `import sentry_sdk\n\nsentry_sdk.init(\n    dsn="${dsn}",\n    release="${release}",\n)`,
      },
    ],
    note: RELEASE_NOTE,
  },
  {
    id: 'android',
    name: 'Android',
    steps: [
      {
        where: 'In AndroidManifest.xml, inside <application>',
        lines: ({ dsn }) => `<meta-data android:name="io.sentry.dsn" android:value="${dsn}" />`,
      },
    ],
    note: 'The release is the package with its version, such as “com.example.owls@1.2.0+12”.',
  },
  {
    id: 'apple',
    name: 'iOS and macOS',
    steps: [
      {
        where: 'As early as possible, such as in application(_:didFinishLaunchingWithOptions:)',
        lines: ({ dsn }) => `import Sentry\n\nSentrySDK.start { options in\n    options.dsn = "${dsn}"\n}`,
      },
    ],
    note: 'The release is the bundle identifier with its version, such as “com.example.owls@1.2.0+12”.',
  },
  {
    id: 'dotnet',
    name: '.NET',
    steps: [
      {
        where: 'At the start of the program',
        lines: ({ dsn, release }) =>
          `using var sentry = SentrySdk.Init(options =>\n{\n    options.Dsn = "${dsn}";\n    options.Release = "${release}";\n});`,
      },
    ],
    note: RELEASE_NOTE,
  },
  {
    id: 'native',
    name: 'C and C++',
    steps: [
      {
        where: 'At the start of the program, with sentry-native. Call sentry_close() at its end',
        lines: ({ dsn, release }) =>
          [
            '#include <sentry.h>',
            '',
            'sentry_options_t *options = sentry_options_new();',
            `sentry_options_set_dsn(options, "${dsn}");`,
            `sentry_options_set_release(options, "${release}");`,
            'sentry_init(options);',
          ].join('\n'),
      },
    ],
    note: RELEASE_NOTE,
  },
  {
    id: 'rust',
    name: 'Rust',
    steps: [
      {
        where: 'First in main, for version 0.49 and newer of the crate',
        lines: ({ dsn }) =>
          `let _sentry = sentry::init(\n    sentry::ClientOptions::new()\n        .dsn("${dsn}")\n        .maybe_release(sentry::release_name!()),\n);`,
      },
    ],
    note: 'The release is the name and version of the crate, such as “owls@1.2.0”.',
  },
  {
    id: 'go',
    name: 'Go',
    steps: [
      {
        where: 'First in main',
        lines: ({ dsn, release }) =>
          `err := sentry.Init(sentry.ClientOptions{\n\tDsn:     "${dsn}",\n\tRelease: "${release}",\n})`,
      },
    ],
    note: RELEASE_NOTE,
  },
  {
    id: 'java',
    name: 'Java and Kotlin',
    steps: [
      {
        where: 'First in main',
        lines: ({ dsn, release }) =>
          `Sentry.init(options -> {\n    options.setDsn("${dsn}");\n    options.setRelease("${release}");\n});`,
      },
    ],
    note: RELEASE_NOTE,
  },
];

function javascriptInit({ dsn, release }: SdkValues): string {
  return `Sentry.init({\n  dsn: '${dsn}',\n  release: '${release}',\n});`;
}

/** `https://KEY@example.com/42` → `https://example.com/api/42/unreal/KEY/`. */
export function unrealAddress(dsn: string): string {
  const { protocol, username, host, pathname } = new URL(dsn);
  const end = pathname.lastIndexOf('/');
  return `${protocol}//${host}${pathname.slice(0, end)}/api/${pathname.slice(end + 1)}/unreal/${username}/`;
}

/** Why players can't reach the address of a DSN, or not from everywhere; null if they can. */
export function addressProblem(dsn: string): string | null {
  const { protocol, hostname } = new URL(dsn);
  if (/^(localhost|.*\.localhost|127\.[\d.]+|\[::1\]|0\.0\.0\.0)$/.test(hostname))
    return 'Only this computer can reach the address in these DSNs. Players need the public address of the server.';
  if (protocol !== 'https:')
    return 'The address in these DSNs is not encrypted. Android, iOS and web games on https pages refuse it.';
  return null;
}
