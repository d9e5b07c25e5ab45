document.getElementById("here").textContent = location.origin;
