// Modules that come with an OS or a driver, and their prefix frames: the same code has different offsets on different
// players' machines, so a frame without a function name says little.
import type { Pattern } from './pattern-list.ts';
import { runtimeModules } from './runtime-aborts.ts';

/** Modules that belong to the OS. */
const systemModulePrefixes: readonly Pattern[] = [
  {
    match:
      /(?:libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libc\+\+(?:abi|_shared)?|ld-linux|ld-musl-\w+|libunwind)\.so(?:\.\d+)*/,
    why: 'Linux runtime without symbols',
  },
  {
    // What the toolchain of Swift puts next to programs on Linux, Windows and Android.
    match: /libswift\w*\.(?:so|dylib)|swift\w+\.dll|lib(?:Foundation\w*|_Foundation\w*|dispatch|BlocksRuntime)\.so/,
    why: 'Swift library without symbols',
  },
  {
    match:
      /libSystem\.B\.dylib|libsystem_\w+\.dylib|libdyld\.dylib|dyld|libobjc\.A\.dylib|libc\+\+(?:abi)?\.(?:1\.)?dylib|CoreFoundation|Foundation|AppKit|UIKit(?:Core)?|QuartzCore/,
    why: 'Apple library without symbols',
  },
  {
    match:
      /libnvidia-\w+(?:-\w+)*\.so(?:\.\d+)*|libGLX?_nvidia\.so(?:\.\d+)*|libEGL_nvidia\.so(?:\.\d+)*|libcuda\.so(?:\.\d+)*/,
    why: 'NVIDIA driver',
  },
  {
    match:
      /libvulkan(?:_\w+)?\.so(?:\.\d+)*|libGL(?:X|dispatch)?\.so(?:\.\d+)*|libEGL(?:_mesa)?\.so(?:\.\d+)*|\w+_dri\.so|libgallium(?:-[\w.-]+)?\.so|libGLX_mesa\.so(?:\.\d+)*|amdvlk(?:64|32)\.so|libdrm\w*\.so(?:\.\d+)*|libLLVM\S*/,
    why: 'Linux graphics driver',
  },
  {
    match:
      /GLEngine|AppleMetal\w*|AGXMetal\w*|AMDMTLBronzeDriver|AppleIntel\w+|IOAccelerator|Metal|libGPUSupportMercury\.dylib/,
    why: 'Apple graphics driver',
  },
  {
    match:
      /linker(?:64)?|libart\.so|libandroid_runtime\.so|libutils\.so|libbinder\.so|libgui\.so|libEGL\.so|libGLESv\d\w*\.so|libGLES_mali\.so|vulkan\.\w+\.so|libgsl\.so/,
    why: 'Android system library',
  },
  {
    match:
      /libasound\.so(?:\.\d+)*|libpulse\S*\.so(?:\.\d+)*|libpipewire\S*|libX\w+\.so(?:\.\d+)*|libxcb\S*\.so(?:\.\d+)*|libwayland-\w+\.so(?:\.\d+)*|libSDL[23]\S*\.so(?:\.\d+)*/,
    why: 'Linux system library',
  },
];

export const modulePrefixes: readonly Pattern[] = [
  { match: /.*\.(?:dll|drv|ocx)/, why: 'Windows module without symbols' },
  ...systemModulePrefixes,
];

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
