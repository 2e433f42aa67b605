// Folders of operating systems, drivers and runtimes on a player's machine: the code there differs between devices.
import type { OsName } from '../../streams/system-info.ts';
import type { Pattern } from './pattern-list.ts';

/** Matched against paths in lower case with `/` between the parts. */
type Folders = readonly Pattern[];

/** Steam's runtime, Proton and Wine, which a player installs and updates apart from the game. */
const translationFolders: Folders = [
  { match: /.*\/(?:steam-runtime(?:[-_][^/]*)?|steamlinuxruntime[^/]*|ubuntu12_(?:32|64))\/.*/, why: 'Steam runtime' },
  { match: /.*\/(?:steamapps\/common\/proton[^/]*|compatibilitytools\.d)\/.*/, why: 'Proton' },
  {
    match: /.*\/(?:lib(?:32|64)?\/wine|wine\/(?:x86_64|i386|aarch64)-(?:unix|windows)|lutris\/runtime)\/.*/,
    why: 'Wine',
  },
];

/** What the kernel or a runtime maps without a file. */
const kernelFolders: Folders = [
  { match: /linux-(?:gate|vdso)\.so.*|\[(?:vdso|vsyscall|vectors|uprobes)\]|\[?anon[:_].*/, why: 'kernel code' },
  { match: /\/(?:dev\/(?!shm\/)|sysv).*|\/memfd:(?:doublemapper|.*jit).*/, why: 'device or generated code' },
];

/**
 * Partitions of Android. Apps are only installed in `/data` and on external storage, or come with the device in
 * `/system/app` and the like.
 */
const androidFolders: Folders = [
  ...kernelFolders,
  { match: /\/(?!(?:data|mnt|storage|sdcard|(?:\w+\/)?(?:priv-)?app)\/).*/, why: 'Android partition' },
  { match: /\/data\/(?:dalvik-cache|misc\/apexdata)\/.*/, why: 'compiled Android framework' },
  {
    match:
      /\/.*(?:\bcom\.(?:google\.android\.(?:webview|trichromelibrary\w*|gms)|android\.(?:chrome|webview)|huawei\.webview)\b|app\/(?:webview|trichrome|chrome|gms)).*/,
    why: 'part of Android that is updated as an app',
  },
];

const linuxFolders: Folders = [
  ...kernelFolders,
  ...translationFolders,
  { match: /\/(?:lib|lib32|lib64|libx32|bin|sbin|etc)\/.*/, why: 'Linux distribution' },
  // `/usr/share` has no libraries of the system, but those of programs.
  { match: /\/usr\/(?!share\/|(?:.*\/)?games\/).*|\/usr\/share\/dotnet\/.*/, why: 'Linux distribution' },
  {
    match: /\/(?:nix|gnu)\/store\/.*|\/run\/(?:opengl-driver(?:-32)?|current-system|booted-system)\/.*/,
    why: 'NixOS or Guix',
  },
  {
    match: /\/run\/(?:host|pressure-vessel)\/.*|(?:.*\/)?flatpak\/runtime\/.*|(?:\/var\/lib\/snapd)?\/snap\/.*/,
    why: 'container',
  },
  { match: /\/opt\/(?:amdgpu(?:-pro)?|rocm[^/]*|nvidia[^/]*|cuda[^/]*|intel)\/.*/, why: 'driver' },
  { match: /.*\/\.?linuxbrew\/.*/, why: 'Homebrew' },
  // A dump of an Android app can name its system Linux.
  { match: /\/(?:system|system_ext|apex|vendor|product|odm|oem)\/.*/, why: 'Android partition' },
];

const appleFolders: Folders = [
  { match: /\/(?:system|library|developer|usr|bin|sbin)\/.*/, why: 'Apple library' },
  {
    match: /(?:\/private)?\/(?:preboot|var\/staged_system_apps)\/.*|.*\/(?:cryptexes\/os|runtimeroot)\/.*/,
    why: 'Apple library',
  },
  { match: /\/opt\/(?:homebrew|local|x11)\/.*/, why: 'Homebrew or MacPorts' },
];

const windowsFolders: Folders = [
  {
    match:
      /(?:\/[/?][?.]\/)?(?:[a-z]:|\/device\/\w+)?\/(?:windows|winnt|reactos)\/(?!temp\/).*|(?:\/systemroot|%systemroot%)\/.*/,
    why: 'Windows folder',
  },
  {
    match:
      /.*\/windowsapps\/microsoft\.(?:vclibs|net|ui\.xaml|windowsappruntime|directx|gamingservices|services)\b[^/]*\/.*/,
    why: 'Windows package',
  },
  {
    match: /.*\/program files(?: \(x86\))?\/(?:dotnet|common files|nvidia corporation|amd|intel)\/.*/,
    why: 'driver or runtime',
  },
  ...translationFolders,
];

export const SYSTEM_FOLDERS: Readonly<Record<OsName, Folders>> = {
  windows: windowsFolders,
  macos: appleFolders,
  ios: appleFolders,
  linux: linuxFolders,
  android: androidFolders,
  unknown: [...windowsFolders, ...appleFolders, ...linuxFolders],
  solaris: [{ match: /\/(?:lib|usr|platform)\/(?!.*games\/).*/, why: 'Solaris library' }],
  nacl: [],
  ps3: [],
  fuchsia: [],
};
