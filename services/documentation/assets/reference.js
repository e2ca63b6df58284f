// Draws the OpenAPI document of the page. The search of Redoc would need a worker, which the pages do not allow.
const place = document.getElementById('reference');
const options = { disableSearch: true, hideDownloadButton: true, nativeScrollbars: true, requiredPropsFirst: true };
const fail = () => (document.querySelector('[role=alert]').hidden = false);

fetch(place.dataset.document)
  .then((response) => {
    if (!response.ok) throw new Error(`the document has status ${response.status}`);
    return response.json();
  })
  .then((definition) => Redoc.init(definition, options, place, (error) => error && fail()))
  .catch(fail);
