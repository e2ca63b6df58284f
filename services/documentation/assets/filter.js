// Filters the operations of an API by the words that are typed.
const field = document.getElementById('words');
const filter = document.getElementById('filter');
const groups = [...document.querySelectorAll('.group')];

const apply = () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const group of groups) {
    const heading = group.querySelector('h2').textContent.toLowerCase();
    const items = [...group.querySelectorAll('li')];
    for (const item of items) {
      const text = `${heading} ${item.textContent.toLowerCase()}`;
      item.hidden = !words.every((word) => text.includes(word));
      if (!item.hidden) found++;
    }
    group.hidden = items.every((item) => item.hidden);
  }
  filter.querySelector('[role=status]').textContent = words.length === 0 ? '' : `${found} found`;
};
filter.hidden = false;
field.addEventListener('input', apply);
// A browser can restore the field when it goes back to the page.
apply();
