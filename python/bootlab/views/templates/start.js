// SPDX-License-Identifier: MIT
// A page that is given its data draws itself at once.
build(JSON.parse(document.getElementById("data").textContent));
