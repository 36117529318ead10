// Keeps the total up to date while the quantity is edited.
"use strict";
document.querySelectorAll("form[data-quote]").forEach((form) => {
  const quantity = form.querySelector("input[name=quantity]");
  const total = form.querySelector(".total");
  quantity.addEventListener("change", async () => {
    if (!quantity.checkValidity()) return;
    const query = new URLSearchParams({ quantity: quantity.value });
    const response = await fetch(`${form.dataset.quote}?${query}`);
    if (response.ok) total.textContent = `€ ${(await response.json()).total}`;
  });
});
