// The scopes of upload tokens with their descriptions.
import type { UploadScope } from '@chauffeur/contract/operation';

export const SCOPES: readonly { readonly scope: UploadScope; readonly label: string; readonly description: string }[] =
  [
    { scope: 'builds', label: 'Builds', description: 'Register builds and upload their files, on any channel' },
    { scope: 'symbols', label: 'Symbols', description: 'Upload symbols' },
    { scope: 'media', label: 'Media', description: 'Add, delete and sort store images and videos' },
    { scope: 'channels', label: 'Channels', description: 'Promote builds and roll channels back' },
  ];
