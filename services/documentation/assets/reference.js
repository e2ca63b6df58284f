// Redoc draws the OpenAPI document. It has no dark theme of its own: it takes the colours of the site.
const target = document.getElementById('reference');

const draw = () => {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  const text = { primary: colour('text'), secondary: colour('muted') };
  Redoc.init(
    target.dataset.document,
    {
      nativeScrollbars: true,
      hideDownloadButton: true,
      hideSchemaTitles: true,
      maxDisplayedEnumValues: 12,
      sortRequiredPropsFirst: true,
      jsonSamplesExpandLevel: 1,
      theme: {
        colors: {
          primary: { main: colour('accent') },
          text,
          border: { dark: colour('border'), light: colour('border') },
          gray: { 50: colour('code'), 100: colour('border') },
          responses: {
            success: { color: colour('good'), backgroundColor: colour('code') },
            error: { color: colour('bad'), backgroundColor: colour('code') },
            redirect: { color: colour('muted'), backgroundColor: colour('code') },
            info: { color: colour('muted'), backgroundColor: colour('code') },
          },
        },
        schema: { nestedBackground: colour('code'), linesColor: colour('border'), typeNameColor: colour('muted') },
        typography: {
          fontFamily: 'inherit',
          headings: { fontFamily: 'inherit' },
          code: { color: colour('text'), backgroundColor: colour('code') },
          links: { color: colour('accent') },
        },
        sidebar: {
          backgroundColor: colour('surface'),
          textColor: colour('text'),
          activeTextColor: colour('accent'),
          width: '15rem',
        },
        rightPanel: { backgroundColor: colour('panel'), textColor: colour('panel-text') },
        codeBlock: { backgroundColor: colour('panel-code') },
      },
    },
    target,
    (error) => {
      document.getElementById('reference-failed').hidden = !error;
      target.dataset.state = error ? 'failed' : 'drawn';
    },
  );
};
draw();
addEventListener('themechange', draw);
