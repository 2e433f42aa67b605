// The button that signs the visitor out.

export function startSignOut(): void {
  const button = document.querySelector<HTMLButtonElement>('[data-sign-out]');
  button?.addEventListener('click', async () => {
    button.disabled = true;
    const response = await fetch('/api/auth/sign-out', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }).catch(() => null);
    if (response?.ok) location.assign('/');
    else button.disabled = false;
  });
}
