// The names of OSes and architectures. They need no schemas, so that types made from them need no library.

export const OSES = ['windows', 'macos', 'linux', 'android', 'ios', 'web'] as const;
export const ARCHES = ['x86_64', 'x86', 'arm64', 'arm32', 'arm', 'universal', 'wasm32', 'wasm'] as const;
export type Os = (typeof OSES)[number];
export type Arch = (typeof ARCHES)[number];
