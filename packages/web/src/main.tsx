// Starts the website in the page that the server sent.
// The library's styles are in a layer, so that ours come first whatever the order of the files.
import '@mantine/core/styles.layer.css';
import './tokens.css';
import './frame/site-frame.css';
import './site.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api.ts';
import { showFieldMessages } from './frame/field-messages.ts';
import { keepFocus } from './frame/keep-focus.ts';
import { createSite } from './router.ts';
import { printLight, theme, variables } from './theme.ts';

const root = document.getElementById('root');
const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
const queries = createQueryClient();
showFieldMessages(document);
keepFocus(document);
printLight(document.documentElement);

if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={variables}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={queries}>
          <RouterProvider router={createSite(queries)} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
