// Draws the OpenAPI document of the page. The search of Redoc would need a worker, which the pages do not allow.
const place = document.getElementById('reference');
const fail = () => (document.querySelector('[role=alert]').hidden = false);

/** The theme of the page in Redoc's options, which take no custom properties. */
function redocTheme() {
  const styles = getComputedStyle(document.documentElement);
  const names = ['ink', 'muted', 'surface', 'raised', 'line', 'accent', 'accent-quiet', 'good', 'warning', 'bad'];
  const [ink, muted, surface, raised, line, accent, quiet, good, warning, bad] = names.map((name) =>
    styles.getPropertyValue(`--${name}`),
  );
  const isDark = styles.colorScheme === 'dark';
  const { fontFamily } = getComputedStyle(document.body);
  const response = (color) => ({ color, backgroundColor: raised });
  return {
    colors: {
      primary: { main: isDark ? accent : quiet, light: muted },
      success: { main: good },
      warning: { main: warning, contrastText: surface },
      error: { main: bad },
      gray: { 50: raised, 100: line },
      text: { primary: ink, secondary: muted },
      border: { dark: line, light: line },
      responses: { success: response(good), error: response(bad), redirect: response(warning), info: response(accent) },
    },
    schema: {
      linesColor: muted,
      nestedBackground: raised,
      typeNameColor: muted,
      typeTitleColor: muted,
      requireLabelColor: bad,
    },
    typography: {
      fontFamily,
      fontSize: '16px',
      headings: { fontFamily, fontWeight: '600' },
      code: { color: ink, backgroundColor: raised },
      links: { color: accent, visited: accent, hover: accent },
    },
    sidebar: {
      backgroundColor: surface,
      textColor: ink,
      activeTextColor: accent,
      groupItems: { activeBackgroundColor: raised },
      level1Items: { activeBackgroundColor: raised },
    },
    // Redoc colours the code for a dark background, whatever the theme.
    rightPanel: { backgroundColor: isDark ? raised : ink, textColor: isDark ? ink : surface },
    codeBlock: { backgroundColor: isDark ? surface : '#0e161c' },
    fab: { backgroundColor: raised, color: accent },
  };
}

function draw(definition) {
  const options = {
    disableSearch: true,
    hideDownloadButton: true,
    nativeScrollbars: true,
    requiredPropsFirst: true,
    theme: redocTheme(),
  };
  const drawing = document.createElement('div');
  place.replaceChildren(drawing);
  Redoc.init(definition, options, drawing, (error) => error && fail());
}

fetch(place.dataset.document)
  .then((response) => {
    if (!response.ok) throw new Error(`the document has status ${response.status}`);
    return response.json();
  })
  .then((definition) => {
    draw(definition);
    addEventListener('themechange', () => draw(definition));
  })
  .catch(fail);
