// The shells that visitors choose from.
import type { Shell } from '@chauffeur/contract/shell';

export const SHELLS: readonly { readonly value: Shell; readonly label: string }[] = [
  { value: 'sh', label: 'bash' },
  { value: 'powershell', label: 'PowerShell' },
  { value: 'cmd', label: 'Command Prompt' },
];
