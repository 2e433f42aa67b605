// Modules that come with an OS or a driver: the same code has different offsets on different players' machines.
import type { Pattern } from './pattern-list.ts';
import { systemModulePrefixes } from './prefix-modules.ts';
import { runtimeModules } from './runtime-aborts.ts';

/** System modules, as labels: base names, in lower case for Windows. */
export const systemModules: readonly Pattern[] = [
  ...runtimeModules,
  ...systemModulePrefixes,
  { match: /linux-(?:gate|vdso)\.so(?:\.\d+)?|\[vdso\]/, why: 'kernel code' },
  {
    match:
      /(?:user32|win32u|gdi32(?:full)?|gdiplus|advapi32|sechost|rpcrt4|combase|ole32|oleaut32|shell32|shlwapi|shcore|windows\.[\w.]+|wow64\w*|apphelp|setupapi|cfgmgr32|version|imm32|msctf|uxtheme|dwmapi|dcomp|coremessaging|dbghelp|dbgcore)\.dll/,
    why: 'Windows module',
  },
  {
    match: /(?:ws2_32|mswsock|crypt32|bcrypt(?:primitives)?|schannel|wininet|winhttp|urlmon|iphlpapi|dnsapi)\.dll/,
    why: 'Windows networking',
  },
  {
    match:
      /(?:d3d\d+\w*|dxgi|dxcore|d2d1|dwrite|ddraw|opengl32|glu32|vulkan-1|dsound|xaudio2_\d|mmdevapi|audioses|avrt|winmm|mf\w*|dinput8?|xinput\w+|hid)\.dll|.*\.drv/,
    why: 'Windows graphics, sound or input',
  },
  {
    match:
      /(?:nv(?:oglv|wgf2|api|cuda|d3d|umd)\w*|ati(?:g|dxx|u|cfx|o)\w*|amd(?:xc|xx|ihk|vlk|gfx|kmd)\w*|ig(?:d|c|xel|75|8|9|11|12)\w*)\.dll/,
    why: 'Windows graphics driver',
  },
];
