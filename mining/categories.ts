/** The product categories of the built-in registry: slug and a title for people. */
export const CATEGORIES = {
  "audio": "Headphones, speakers and audio gear",
  "computers": "Computers and peripherals",
  "phones-wearables": "Phones, tablets and wearables",
  "cameras": "Cameras and optics",
  "gaming": "Gaming hardware",
  "home-theater": "Television and home theater",
  "kitchen": "Kitchen and cookware",
  "appliances": "Appliances and cleaning",
  "home-furnishings": "Furniture, bedding and decor",
  "tools": "Tools and hardware",
  "garden": "Garden and homestead",
  "outdoor-gear": "Camping, hiking and outdoor gear",
  "cycling": "Cycling",
  "fitness": "Fitness and sports equipment",
  "automotive": "Car parts and accessories",
  "clothing": "Clothing",
  "footwear": "Shoes and boots",
  "bags": "Bags, luggage and everyday carry",
  "beauty": "Skin care, hair and grooming",
  "health": "Health and supplements",
  "baby": "Baby and children",
  "pets": "Pet supplies",
  "hobbies": "Instruments, crafts and hobbies",
  "office": "Office, writing and study",
} as const;

export type CategorySlug = keyof typeof CATEGORIES;

/** Every category slug, in display order. */
export const CATEGORY_SLUGS = Object.keys(CATEGORIES) as readonly CategorySlug[];
