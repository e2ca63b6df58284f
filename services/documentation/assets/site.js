const root = document.documentElement;
const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const currentTheme = () => root.dataset.theme ?? (prefersDark.matches ? 'dark' : 'light');

const button = document.getElementById('theme');
const showTheme = () => {
  button.textContent = currentTheme() === 'dark' ? 'Light' : 'Dark';
  button.setAttribute('aria-label', `Use the ${currentTheme() === 'dark' ? 'light' : 'dark'} theme`);
  dispatchEvent(new Event('themechange'));
};
button.hidden = false;
button.addEventListener('click', () => {
  root.dataset.theme = currentTheme() === 'dark' ? 'light' : 'dark';
  localStorage.setItem('theme', root.dataset.theme);
  showTheme();
});
prefersDark.addEventListener('change', showTheme);
showTheme();

// On a narrow screen the list of all pages is closed, so that the page itself comes first.
if (matchMedia('(max-width: 60rem)').matches) document.querySelector('nav.site details')?.removeAttribute('open');

for (const block of document.querySelectorAll('pre')) {
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'copy';
  copy.textContent = 'Copy';
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    copy.textContent = 'Copied';
    setTimeout(() => (copy.textContent = 'Copy'), 1500);
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(copy, block);
}
