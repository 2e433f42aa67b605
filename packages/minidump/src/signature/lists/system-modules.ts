// Modules that come with a system or a driver: the same code is at another offset on each player's machine.
import type { Pattern } from './pattern-list.ts';
import { systemModulePrefixes } from './prefix-modules.ts';
import { runtimeModules } from './runtime-aborts.ts';

/** As labels: base names, of Windows in lower case. */
export const systemModules: readonly Pattern[] = [
  ...runtimeModules,
  ...systemModulePrefixes,
  { match: /linux-(?:gate|vdso)\.so(?:\.\d+)?|\[vdso\]/, why: 'code of the kernel' },
  {
    match:
      /(?:user32|win32u|gdi32(?:full)?|gdiplus|advapi32|sechost|rpcrt4|combase|ole32|oleaut32|shell32|shlwapi|shcore|windows\.[\w.]+|wow64\w*|apphelp|setupapi|cfgmgr32|version|imm32|msctf|uxtheme|dwmapi|dcomp|coremessaging|dbghelp|dbgcore)\.dll/,
    why: 'a module of Windows',
  },
  {
    match: /(?:ws2_32|mswsock|crypt32|bcrypt(?:primitives)?|schannel|wininet|winhttp|urlmon|iphlpapi|dnsapi)\.dll/,
    why: 'the network of Windows',
  },
  {
    match:
      /(?:d3d\d+\w*|dxgi|dxcore|d2d1|dwrite|ddraw|opengl32|glu32|vulkan-1|dsound|xaudio2_\d|mmdevapi|audioses|avrt|winmm|mf\w*|dinput8?|xinput\w+|hid)\.dll|.*\.drv/,
    why: 'graphics, sound or input of Windows',
  },
  {
    match:
      /(?:nv(?:oglv|wgf2|api|cuda|d3d|umd)\w*|ati(?:g|dxx|u|cfx|o)\w*|amd(?:xc|xx|ihk|vlk|gfx|kmd)\w*|ig(?:d|c|xel|75|8|9|11|12)\w*)\.dll/,
    why: 'a graphics driver of Windows',
  },
];
