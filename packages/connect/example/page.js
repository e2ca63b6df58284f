const list = document.getElementById('events');

/** The server makes the address, which has the access token, at each opening. */
async function address() {
  const response = await fetch('/address', { method: 'POST' });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
}

for (const button of document.querySelectorAll('button'))
  button.addEventListener('click', () => {
    list.replaceChildren();
    TributaryConnect.openConnect({
      url: address(),
      display: button.dataset.display,
      container: document.getElementById('frame-place'),
      onEvent: (event) => {
        const item = document.createElement('li');
        item.textContent = JSON.stringify(event);
        list.append(item);
      },
    });
  });
