// Prefix frames without a function name: modules that are rarely at fault, or that say too little on their own.
import type { Pattern } from './pattern-list.ts';

/** Modules that belong to the OS. */
export const systemModulePrefixes: readonly Pattern[] = [
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
