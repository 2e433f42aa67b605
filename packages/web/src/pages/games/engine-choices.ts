// The engines that developers choose from.
import type { Engine } from './first-build-steps.ts';

export const ENGINE_CHOICES: { value: Engine; label: string }[] = [
  { value: 'unity', label: 'Unity' },
  { value: 'unreal', label: 'Unreal Engine' },
  { value: 'godot', label: 'Godot' },
  { value: 'c', label: 'C or C++' },
  { value: 'electron', label: 'Electron' },
  { value: 'web', label: 'Web game' },
  { value: 'other', label: 'Other' },
];
